"""Encrypted and signed messages against the running bot."""

import json
import time

import httpx
import pytest
from redis import Redis

from rankscope.feishu import crypto
from rankscope.queueing import Task
from tests.conftest import MakeSettings
from tests.feishu.payloads import (
    BOT_MENTION,
    Json,
    challenge,
    encrypted,
    envelope,
    mention,
    message,
    pushed,
)
from tests.feishu.scripted import scripted_feishu
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.queued import queued


def push(bot: RunningBot, payload: Json, **changes: str) -> httpx.Response:
    """Bring an event to the bot, the way it is connected."""
    if bot.line is not None:
        delivered = bot.line.deliver(payload)
        return httpx.Response(delivered.status, json=delivered.answer)
    body, headers = pushed(payload, now=time.time())
    return bot.http.post("/feishu/events", content=body, headers={**headers, **changes})


def test_a_command_is_enqueued_and_acknowledged(bot: RunningBot) -> None:
    answer = push(bot, message(message_id="om_7"))

    assert (answer.status_code, answer.json()) == (200, {"status": "accepted"})
    [(job_id, name, said)] = queued(bot.redis)
    assert (job_id, name) == ("message-om_7", Task.HANDLE_MESSAGE)
    assert said == {
        "message_id": "om_7",
        "chat_id": "oc_1",
        "chat_type": "group",
        "sender": "ou_person",
        "text": "/capture jo-1",
    }


def test_a_replayed_request_does_nothing(bot: RunningBot) -> None:
    body, headers = pushed(message(), now=time.time())
    first, second = (
        bot.http.post("/feishu/events", content=body, headers=headers) for _ in range(2)
    )

    assert first.json() == {"status": "accepted"}
    assert (second.status_code, second.json()) == (200, {"status": "duplicate"})
    assert len(queued(bot.redis)) == 1


def test_one_message_under_two_event_ids_is_one_command(bot: RunningBot) -> None:
    push(bot, message(message_id="om_7", event_id="ev-1"))

    assert push(bot, message(message_id="om_7", event_id="ev-2")).json()["status"] == "duplicate"
    assert len(queued(bot.redis)) == 1


@pytest.mark.parametrize(
    "payload",
    [
        message("just chatting", mentions=()),
        message(mentions=(mention("@_user_1", "ou_2", "Tom", "user"),)),
        message(sender_type="bot"),
        envelope("im.message.message_read_v1", {"reader": {}}),
        envelope("im.chat.member.bot.added_v1", {"chat_id": "oc_1"}),
        envelope("im.message.receive_v1", {"nothing": "known"}),
    ],
)
def test_what_is_not_for_us_is_acknowledged_and_ignored(bot: RunningBot, payload: Json) -> None:
    answer = push(bot, payload)

    assert (answer.status_code, answer.json()) == (200, {"status": "ignored"})
    assert queued(bot.redis) == []


def test_a_direct_message_is_for_us(bot: RunningBot) -> None:
    push(bot, message("/help", mentions=(), chat_type="p2p"))

    assert queued(bot.redis)[0][2]["text"] == "/help"


def test_a_wrong_signature_is_refused(bot: RunningBot) -> None:
    answer = push(bot, message(), **{crypto.SIGNATURE_HEADER: "0" * 64})

    assert answer.status_code == 401
    assert "ENCRYPT_KEY" in answer.json()["next_step"]
    assert queued(bot.redis) == []


def test_an_old_request_is_refused(bot: RunningBot) -> None:
    body, headers = pushed(message(), now=time.time() - 301)
    answer = bot.http.post("/feishu/events", content=body, headers=headers)

    assert answer.status_code == 401
    assert "clock" in answer.json()["error"]
    assert queued(bot.redis) == []


def test_a_wrong_token_is_refused(bot: RunningBot) -> None:
    answer = push(bot, envelope("im.message.receive_v1", message()["event"], token="wrong"))

    assert answer.status_code == 401
    assert "VERIFICATION_TOKEN" in answer.json()["next_step"]


def test_a_plain_body_is_refused_although_it_is_signed(bot: RunningBot) -> None:
    body = json.dumps(message()).encode()
    headers = crypto.sign("encrypt-key", str(int(time.time())), "nonce", body)
    answer = bot.http.post("/feishu/events", content=body, headers=headers)

    assert answer.status_code == 401
    assert queued(bot.redis) == []


def test_the_url_check_is_answered(bot: RunningBot) -> None:
    answer = bot.http.post("/feishu/events", content=encrypted(challenge()))

    assert (answer.status_code, answer.json()) == (200, {"challenge": "ajls384kdjx98XX"})


def test_too_large_a_push_is_refused(bot: RunningBot) -> None:
    assert push(bot, message("x" * 300_000)).status_code == 413


def test_without_redis_feishu_is_asked_to_come_again(bot_without_redis: RunningBot) -> None:
    assert push(bot_without_redis, message()).status_code == 503


def test_a_push_that_failed_is_taken_when_it_is_repeated(
    bot_without_redis: RunningBot, start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    payload = message(event_id="ev-1")
    push(bot_without_redis, payload)

    assert push(start(make_settings(), redis), payload).json() == {"status": "accepted"}


def test_without_an_encrypt_key_the_token_is_checked(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(feishu_encrypt_key=""), redis)
    wrong = envelope("im.message.receive_v1", message()["event"], token="wrong")

    assert bot.http.post("/feishu/events", json=message()).json() == {"status": "accepted"}
    assert bot.http.post("/feishu/events", json=wrong).status_code == 401


def test_a_bot_without_feishu_secrets_accepts_nothing(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(feishu_encrypt_key="", feishu_verification_token=""), redis)
    answer = bot.http.post("/feishu/events", json=message(mentions=(BOT_MENTION,)))

    assert answer.status_code == 503
    assert "RANKSCOPE_FEISHU_ENCRYPT_KEY" in answer.json()["next_step"]


def test_once_the_bot_knows_itself_other_bots_mentions_are_ignored(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    with scripted_feishu() as feishu:
        feishu.next(200, {"code": 0, "bot": {"open_id": "ou_me"}})
        bot = start(make_settings(feishu_domain=feishu.url, feishu_app_id="cli_1"), redis)
        while push(bot, message(message_id="om_other")).json()["status"] != "ignored":
            time.sleep(0.01)
        ours = message(mentions=(mention("@_user_1", "ou_me", "rankscope"),), message_id="om_me")

        assert push(bot, ours).json() == {"status": "accepted"}
