"""The bot and the sender, each with the Feishu emulator on the other side."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from redis import Redis

from bot.identity import ask_open_id
from rankscope.feishu.errors import CardRejected, FeishuRejected
from rankscope.feishu.sender import LarkSender
from rankscope.model.capture import Trigger
from rankscope.model.state import Incident, IncidentState
from rankscope.settings import Settings
from sandbox.feishu.faults import Fault
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator
from tests.conftest import MakeSettings
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.listening import listening
from tests.scenarios.queued import queued

OPTIONS = Options(encrypt_key="encrypt-key", verification_token="verification-token")
VALUE = {"act": "recapture", "incident": "in-1", "rev": 1}
BUTTON = {
    "tag": "button",
    "element_id": "recapture",
    "text": {"tag": "plain_text", "content": "重新采集"},
    "behaviors": [{"type": "callback", "value": VALUE}],
}
CARD = {
    "schema": "2.0",
    "config": {"update_multi": True},
    "header": {"title": {"tag": "plain_text", "content": "jo-1 疑似 Hang"}},
    "body": {"elements": [{"tag": "markdown", "content": "正在采集"}, BUTTON]},
}


@dataclass(frozen=True, slots=True)
class Channel:
    """A bot in an emulated channel; the sender stands for the RQ workers."""

    emulator: RunningEmulator
    bot: RunningBot
    sender: LarkSender

    def queued_within(self, seconds: float) -> list[tuple[str, str, dict[str, object]]]:
        """Wait until something is enqueued."""
        deadline = time.monotonic() + seconds
        while not (found := queued(self.bot.redis)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found


def _settings(make_settings: MakeSettings, emulator: RunningEmulator) -> Settings:
    return make_settings(
        feishu_domain=emulator.url,
        feishu_app_id=OPTIONS.app_id,
        feishu_app_secret=OPTIONS.app_secret,
    )


@pytest.fixture
def channel(start: Start, make_settings: MakeSettings, redis: Redis) -> Iterator[Channel]:
    with running_emulator(OPTIONS) as emulator:
        settings = _settings(make_settings, emulator)
        bot = start(settings, redis)
        emulator.client.point_at(str(bot.http.base_url.join("/feishu/events")))
        yield Channel(emulator, bot, LarkSender(settings))


@pytest.fixture(params=["http", "long connection"])
def either_channel(
    request: pytest.FixtureRequest, start: Start, make_settings: MakeSettings, redis: Redis
) -> Iterator[Channel]:
    """The same, once with an address that Feishu reaches, once with a long connection."""
    if request.param == "http":
        yield request.getfixturevalue("channel")
        return
    with running_emulator(OPTIONS) as emulator:
        settings = _settings(make_settings, emulator)
        bot = start(settings, redis)
        with listening(emulator, settings, redis):
            yield Channel(emulator, bot, LarkSender(settings))


def test_a_typed_command_reaches_the_queue(either_channel: Channel) -> None:
    said = either_channel.emulator.client.say(either_channel.emulator.chat_id, "/capture jo-1")

    [(job_id, _, message)] = either_channel.queued_within(10)
    assert job_id == f"message-{said.message_id}"
    assert message["text"] == "/capture jo-1"
    assert message["chat_id"] == either_channel.emulator.chat_id


def test_talk_without_a_mention_is_not_for_the_bot(either_channel: Channel) -> None:
    client = either_channel.emulator.client
    client.say(either_channel.emulator.chat_id, "good morning", mention_bot=False)
    command = client.say(either_channel.emulator.chat_id, "/help")

    assert [job[0] for job in either_channel.queued_within(10)] == [f"message-{command.message_id}"]


def test_a_pressed_button_is_enqueued_and_answered(either_channel: Channel) -> None:
    incident = Incident(id="in-1", job_id="jo-1", kind=Trigger.HANG, chat_id="oc", opened_at=0.0)
    either_channel.bot.state.save(replace(incident, state=IncidentState.REPORTED))
    card = either_channel.sender.create(
        either_channel.emulator.chat_id, "interactive", CARD, "uuid-1"
    )
    first, second = (either_channel.emulator.client.press(card, "recapture") for _ in range(2))

    assert first.error is None
    assert first.toast is not None
    assert first.toast["type"] == "success"
    assert second.toast is not None
    assert second.toast["type"] == "info"
    [(job_id, _, click)] = queued(either_channel.bot.redis)
    assert job_id == "click-in-1-recapture-r1"
    assert click["message_id"] == card


def test_one_uuid_sends_one_message(channel: Channel) -> None:
    chat = channel.emulator.chat_id
    ids = {channel.sender.create(chat, "interactive", CARD, "uuid-1") for _ in range(2)}

    assert len(ids) == 1
    assert len(channel.emulator.client.messages(chat)) == 1


def test_a_card_is_replaced_and_replied_to(channel: Channel) -> None:
    chat = channel.emulator.chat_id
    card = channel.sender.create(chat, "interactive", CARD, "uuid-1")
    changed = {**CARD, "body": {"elements": [{"tag": "markdown", "content": "采集完成"}]}}
    channel.sender.patch(card, changed)
    reply = channel.sender.reply(card, "text", {"text": "完成"}, "uuid-2", in_thread=True)
    channel.sender.react(card, "OK")

    shown = {message.message_id: message for message in channel.emulator.client.messages(chat)}
    assert "采集完成" in shown[card].text
    assert "完成" in shown[reply].text


def test_a_revoked_token_is_renewed(channel: Channel) -> None:
    card = channel.sender.create(channel.emulator.chat_id, "interactive", CARD, "uuid-1")
    channel.emulator.client.revoke_tokens()

    channel.sender.patch(card, CARD)


def test_a_card_feishu_would_refuse_is_told_apart(channel: Channel) -> None:
    broken = {**CARD, "body": {"elements": [{"tag": "note", "elements": []}]}}
    with pytest.raises(CardRejected):
        channel.sender.create(channel.emulator.chat_id, "interactive", broken, "uuid-1")


def test_a_chat_without_the_bot_says_what_to_do(channel: Channel) -> None:
    chat = channel.emulator.client.add_chat("别的群", bot_inside=False)
    with pytest.raises(FeishuRejected) as caught:
        channel.sender.create(chat.chat_id, "text", {"text": "hi"}, "uuid-1")

    assert caught.value.code == 230002
    assert "Add the bot" in caught.value.next_step


def test_a_lost_answer_does_not_post_twice(channel: Channel) -> None:
    lost = Fault(path="/im/v1/messages", method="POST", status=502, after=True)
    channel.emulator.client.fault(lost)
    card = channel.sender.create(channel.emulator.chat_id, "interactive", CARD, "uuid-1")

    shown = channel.emulator.client.messages(channel.emulator.chat_id)
    assert [message.message_id for message in shown] == [card]


def test_the_url_check_is_passed(channel: Channel) -> None:
    client = channel.emulator.client
    while client.subscription()["state"] == "checking":
        time.sleep(0.02)

    assert client.subscription()["state"] == "verified"


async def test_both_halves_agree_on_who_the_bot_is(channel: Channel) -> None:
    assert await ask_open_id(channel.bot.settings) == channel.sender.bot_info().open_id


def test_a_person_has_a_name(channel: Channel) -> None:
    person = channel.emulator.emulator.world.humans[0]

    assert channel.sender.user_name(person.open_id) == person.name
    with pytest.raises(FeishuRejected):
        channel.sender.user_name("ou_nobody")


def test_a_file_is_uploaded(channel: Channel) -> None:
    key = channel.sender.upload_file("堆栈.txt", b"rank 0")

    assert channel.emulator.emulator.world.uploads.files[key].body == b"rank 0"
