"""Every button of a card: what it does, and what who presses it again or too late is told.

The list is that of the bot, and of the cards: a new button without a scenario fails here.
"""

from collections.abc import Callable
from typing import Any

import pytest

from bot.clicks import ACTIONS
from rankscope.chat.durations import CHOICES, OFF
from rankscope.incidents.audit import deeds_of
from rankscope.model.state import Incident, IncidentState
from tests.scenarios.rig import CAPTURES, OPERATOR, OWNER, Rig, acts_of, open_id

BUTTONS: dict[str, tuple[str, dict[str, Any]]] = {
    "recapture": ("b_recapture", {}),
    "compare": ("b_compare", {}),
    "ack": ("b_ack", {}),
    "silence": ("s_silence", {"option": "30m"}),
    "bundle": ("b_bundle", {}),
}


def _recaptured(rig: Rig) -> bool:
    rig.work_all()
    return len(rig.incident().captures) == 3


def _compared(rig: Rig) -> bool:
    return any(one.startswith("compare-") for one in rig.queued())


def _acknowledged(rig: Rig) -> bool:
    return rig.incident().acked_by == open_id(OPERATOR)


def _silenced(rig: Rig) -> bool:
    return rig.title().startswith("[silenced]")


def _bundled(rig: Rig) -> bool:
    rig.work_all()
    return rig.messages()[-1].msg_type == "file"


DONE: dict[str, Callable[[Rig], bool]] = {
    "recapture": _recaptured,
    "compare": _compared,
    "ack": _acknowledged,
    "silence": _silenced,
    "bundle": _bundled,
}


@pytest.fixture
def reported(rig: Rig) -> Rig:
    rig.reported()
    return rig


def test_the_card_has_the_buttons_that_the_bot_knows(reported: Rig) -> None:
    assert set(acts_of(reported.card().content)) == set(ACTIONS)


@pytest.mark.parametrize("act", sorted(ACTIONS))
def test_a_button_does_what_it_says_once(reported: Rig, act: str) -> None:
    button, filled = BUTTONS[act]
    first = reported.press(button, **filled)
    # The same card still, as seen by somebody whose app has not shown the change yet.
    again = _press_old(reported, act)
    reported.work()

    assert first.error is None
    assert first.toast is not None
    assert first.toast["type"] == "success"
    assert again["toast"]["type"] == "info"
    assert open_id(OPERATOR) in again["toast"]["i18n"]["en_us"]
    assert DONE[act](reported)
    assert [deed.outcome for deed in deeds_of(reported.state, "jo-1")] in (["done"], ["started"])


def _press_old(rig: Rig, act: str, revision: int = 1) -> dict[str, Any]:
    """Press a button of the first card again, as another person."""
    value = {"act": act, "incident": "in-1", "rev": revision}
    payload = rig.click(value, user=OWNER, **BUTTONS[act][1])
    delivered = rig.apps.emulator.client.deliver(payload)
    assert delivered.status == 200
    answer: dict[str, Any] = delivered.answer
    return answer


@pytest.mark.parametrize("act", sorted(ACTIONS))
def test_a_button_of_an_outdated_card_is_answered_politely(rig: Rig, act: str) -> None:
    rig.reported(revision=7)

    toast = _press_old(rig, act)["toast"]

    assert (toast["type"], "updated meanwhile" in toast["i18n"]["en_us"]) == ("warning", True)
    assert not [one for one in rig.queued() if one.startswith("click-")]


@pytest.mark.parametrize("act", sorted(ACTIONS))
@pytest.mark.parametrize("state", [state for state in IncidentState if state.is_final])
def test_a_button_of_a_finished_incident_is_answered_politely(
    rig: Rig, act: str, state: IncidentState
) -> None:
    rig.reported(state=state)

    toast = _press_old(rig, act)["toast"]

    assert toast["type"] == ("success" if act == "bundle" else "info")


@pytest.mark.parametrize("act", sorted(ACTIONS))
def test_a_button_of_a_forgotten_incident_says_so(rig: Rig, act: str) -> None:
    assert "expired" in _press_old(rig, act)["toast"]["i18n"]["en_us"]


@pytest.mark.parametrize("option", [*CHOICES, OFF])
def test_each_length_of_a_silence_can_be_chosen(reported: Rig, option: str) -> None:
    if option == OFF:
        reported.press("s_silence", option="2h")
        reported.work()
    answer = reported.press("s_silence", option=option)
    reported.work()

    assert answer.toast is not None
    assert answer.toast["type"] == "success"
    assert _silenced(reported) is (option != OFF)


def test_two_of_three_captures_are_chosen_in_a_form(rig: Rig) -> None:
    rig.reported()
    rig.press("b_recapture")
    rig.work_all()

    rig.press("compare_chosen", form_value={"before": CAPTURES[0], "after": CAPTURES[1]})
    rig.work()

    assert [one for one in rig.queued() if f"{CAPTURES[0]}-{CAPTURES[1]}" in one]


def test_the_report_opens_in_the_browser(reported: Rig) -> None:
    answer = reported.press("b_report")

    assert f"/captures/{CAPTURES[1]}" in answer.url
    assert answer.toast is None


def test_ten_presses_at_once_are_one(reported: Rig) -> None:
    kinds = [_press_old(reported, "ack")["toast"]["type"] for _ in range(10)]

    assert kinds == ["success"] + ["info"] * 9
    reported.work()
    assert reported.state.load(Incident, "in-1").acked_by == open_id(OWNER)
