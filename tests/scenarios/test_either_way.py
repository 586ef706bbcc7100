"""Events by HTTP and over a long connection: the same handlers, the same rules."""

import time
from dataclasses import replace

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from rankscope.queueing import Task
from sandbox.feishu.testing import running_emulator
from tests.conftest import MakeSettings
from tests.feishu.payloads import BOT, Json, click, envelope, mention, message
from tests.scenarios.conftest import RunningBot
from tests.scenarios.listening import listening
from tests.scenarios.queued import queued
from tests.scenarios.test_feishu_messages import push

DAY_S = 86_400


@pytest.fixture
def bot(either_bot: RunningBot) -> RunningBot:
    return either_bot


def test_a_command_is_enqueued(bot: RunningBot) -> None:
    assert push(bot, message(message_id="om_7")).status_code == 200

    [(job_id, name, said)] = queued(bot.redis)
    assert (job_id, name) == ("message-om_7", Task.HANDLE_MESSAGE)
    assert (said["text"], said["sender"]) == ("/capture jo-1", "ou_person")


def test_a_repeated_event_does_nothing(bot: RunningBot) -> None:
    payload = message(event_id="ev-1")
    assert [push(bot, payload).status_code for _ in range(2)] == [200, 200]

    assert len(queued(bot.redis)) == 1


def test_one_message_under_two_event_ids_is_one_command(bot: RunningBot) -> None:
    for event_id in ("ev-1", "ev-2"):
        push(bot, message(message_id="om_7", event_id=event_id))

    assert len(queued(bot.redis)) == 1


@pytest.mark.parametrize(
    "payload",
    [
        message("just chatting", mentions=()),
        message(mentions=(mention("@_user_1", "ou_2", "Tom", "user"),)),
        envelope("application.bot.menu_v6", {"event_key": "help"}),
        envelope("im.message.receive_v1", {"nothing": "known"}),
        envelope("im.message.receive_v1", message()["event"], created_at=time.time() - DAY_S - 9),
    ],
)
def test_what_is_not_for_us_is_acknowledged_and_ignored(bot: RunningBot, payload: Json) -> None:
    assert push(bot, payload).status_code == 200
    assert queued(bot.redis) == []


def test_a_click_of_yesterday_starts_nothing(bot: RunningBot) -> None:
    old = envelope("card.action.trigger", click({})["event"], created_at=time.time() - DAY_S - 9)

    assert push(bot, old).json()["toast"]["type"] == "info"


def test_what_is_no_event_is_refused(bot: RunningBot) -> None:
    assert push(bot, {"schema": "1.0"}).status_code != 200


def test_an_event_that_was_not_recorded_is_refused_and_comes_again(
    make_settings: MakeSettings, bot_without_redis: RunningBot
) -> None:
    away = Redis(unix_socket_path="/nonexistent/redis.sock", retry=Retry(NoBackoff(), 0))
    with running_emulator() as emulator:
        options, world = emulator.emulator.options, emulator.emulator.world
        world.bot = replace(world.bot, open_id=BOT)  # Whom the payloads of the tests mention.
        settings = make_settings(
            feishu_domain=emulator.url,
            feishu_app_id=options.app_id,
            feishu_app_secret=options.app_secret,
        )
        with listening(emulator, settings, away):
            refused = emulator.client.deliver(message())
            pressed = emulator.client.deliver(click({"act": "ack", "incident": "in-1", "rev": 1}))

    assert refused.status == 500
    assert pressed.status == 200
    assert pressed.answer["toast"]["type"] == "error"  # type: ignore[index]
    assert push(bot_without_redis, message()).status_code == 503
