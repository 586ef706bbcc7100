"""The bot's own menu: each item of it is answered in the person's private chat."""

import pytest

from tests.feishu.payloads import envelope
from tests.scenarios.rig import VIEWER, Rig, open_id, options_of

ANSWERS = {"help": "/capture JOB-ID", "jobs": "1 jobs:", "status": "rankscope"}


def test_every_item_of_the_emulators_menu_has_an_answer() -> None:
    assert set(ANSWERS) == set(options_of("http").menu)


@pytest.mark.parametrize("key", ANSWERS)
def test_an_item_is_answered_in_private(rig: Rig, key: str) -> None:
    rig.reported()
    before = rig.messages()
    rig.choose(key, user=VIEWER)

    [answer] = rig.messages(rig.private(VIEWER))
    assert ANSWERS[key] in answer.text
    assert rig.messages() == before


def test_an_item_that_nobody_knows_is_told_what_there_is(rig: Rig) -> None:
    said = _chosen("weather", "ev-1")
    assert rig.apps.emulator.client.deliver(said).status == 200
    rig.work()

    [answer] = rig.messages(rig.private(VIEWER))
    assert "weather" in answer.text
    assert "/capture JOB-ID" in answer.text


def test_an_item_that_is_told_twice_is_answered_once(rig: Rig) -> None:
    for _ in range(2):
        rig.apps.emulator.client.deliver(_chosen("help", "ev-2"))
        rig.work()

    assert len(rig.messages(rig.private(VIEWER))) == 1


def test_the_answer_is_in_the_language_of_the_private_chat(rig: Rig) -> None:
    rig.ask("/lang zh", chat=rig.private(VIEWER), user=VIEWER)
    rig.choose("status", user=VIEWER)

    assert "采集" in rig.messages(rig.private(VIEWER))[-1].text


def test_an_item_that_names_nobody_is_ignored(rig: Rig) -> None:
    nobody = envelope("application.bot.menu_v6", {"event_key": "help"})
    assert rig.apps.emulator.client.deliver(nobody).status == 200

    assert rig.queued() == []


def _chosen(key: str, event_id: str) -> dict[str, object]:
    event = {"operator": {"operator_id": {"open_id": open_id(VIEWER)}}, "event_key": key}
    return envelope("application.bot.menu_v6", event, event_id)
