"""The fault panel: each trouble by its name, and what a bot sees of it."""

import pytest

from rankscope.errors import NotFound, UnusableInput
from sandbox.feishu.testing import RunningEmulator
from sandbox.feishu.troubles import FAULTS, NAMES
from tests.sandbox.feishu.conftest import Api, SdkBot
from tests.sandbox.feishu.samples import RICH
from tests.sandbox.feishu.waiting import until

TEXT = {"text": "hello"}


@pytest.fixture(autouse=True)
def calm(running: RunningEmulator) -> None:
    running.client.trouble("clear")


@pytest.mark.parametrize(
    ("name", "status", "code"),
    [
        ("rate", 429, 99991400),
        ("server", 500, 1),
        ("html", 502, None),
        ("lost", 504, None),
        ("refused", 400, 230002),
    ],
)
def test_calls_fail_as_the_button_says(
    running: RunningEmulator, api: Api, name: str, status: int, code: int | None
) -> None:
    assert running.client.trouble(name) == [name]
    times = FAULTS[name].times

    answers = [api.send(running.chat_id, "text", TEXT) for _ in range(times + 1)]
    assert [answer.status_code for answer in answers] == [status] * times + [200]
    if code is None:
        assert answers[0].text.startswith("<!doctype html>")
    else:
        assert answers[0].json()["code"] == code


def test_an_answer_is_lost_after_the_deed(running: RunningEmulator, api: Api) -> None:
    running.client.trouble("lost")
    api.send(running.chat_id, "text", TEXT)

    assert len(running.client.messages(running.chat_id)) == 1


def test_all_tokens_expire(running: RunningEmulator, api: Api) -> None:
    running.client.trouble("token")

    assert api.send(running.chat_id, "text", TEXT).json()["code"] == 99991663


def test_the_bots_last_message_is_recalled(running: RunningEmulator, api: Api) -> None:
    first, last = (api.sent(running.chat_id, "interactive", RICH) for _ in range(2))
    running.client.trouble("recall", chat_id=running.chat_id)

    assert api.patch(last, RICH).json()["code"] == 230011
    assert api.patch(first, RICH).json()["code"] == 0


def test_there_must_be_something_to_recall(running: RunningEmulator) -> None:
    with pytest.raises(UnusableInput):
        running.client.trouble("recall", chat_id=running.chat_id)


def test_events_come_twice_until_that_is_switched_off(
    running: RunningEmulator, bot: SdkBot
) -> None:
    assert running.client.trouble("twice") == ["twice"]
    running.client.say(running.chat_id, "/help")
    until(lambda: len(bot.messages) == 2)

    assert running.client.trouble("twice") == []


def test_two_events_change_places(running: RunningEmulator, bot: SdkBot) -> None:
    assert running.client.trouble("reorder") == ["reorder"]
    running.client.say(running.chat_id, "/first")
    running.client.say(running.chat_id, "/second")
    until(lambda: len(bot.messages) == 2)

    types = [delivery.event_type for delivery in running.client.deliveries()]
    assert types == ["im.message.receive_v1"] * 2
    assert running.client.trouble("clear") == []


def test_what_is_held_back_is_delivered_when_all_is_to_be_well(
    running: RunningEmulator, bot: SdkBot
) -> None:
    running.client.trouble("reorder")
    running.client.say(running.chat_id, "/first")
    running.client.trouble("clear")

    until(lambda: bot.messages)


@pytest.mark.parametrize("name", ["drop", "silence"])
def test_there_must_be_a_connection_to_lose(running: RunningEmulator, name: str) -> None:
    with pytest.raises(UnusableInput, match="No long connection"):
        running.client.trouble(name)


def test_other_names_are_unknown(running: RunningEmulator) -> None:
    with pytest.raises(NotFound, match="rate"):
        running.client.trouble("earthquake")
    assert "drop" in NAMES


def test_an_item_of_the_menu_names_the_person_and_no_chat(
    running: RunningEmulator, bot: SdkBot
) -> None:
    event_id = running.client.choose("jobs", user="林娜")
    until(lambda: bot.messages)

    [event] = bot.messages
    assert event.header.event_id == event_id
    assert (event.event.event_key, event.event.operator.operator_name) == ("jobs", "林娜")
    person = running.emulator.world.person("林娜")
    assert event.event.operator.operator_id.open_id == person.open_id
    assert isinstance(event.event.timestamp, int)


def test_the_menu_has_only_its_own_items(running: RunningEmulator) -> None:
    with pytest.raises(UnusableInput):
        running.client.choose("self-destruct")
