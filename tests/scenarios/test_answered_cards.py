"""A click is answered with a toast and the card, which the outbox then confirms or corrects."""

import re
from dataclasses import replace

import pytest

from rankscope.chat.durations import CHOICES
from rankscope.incidents.holding import hold, sending
from rankscope.model.state import (
    CaptureRecord,
    Incident,
    IncidentState,
    JobState,
    Outgoing,
    Silence,
)
from rankscope.model.state import Job as JobRecord
from tests.scenarios.rig import OPERATOR, VIEWER, Rig, open_id, title_of

CAPTURING = "Training may be hung: capturing"


@pytest.fixture
def reported(rig: Rig) -> Rig:
    """A job hangs, and its card shows the report."""
    rig.reported(revision=2)
    return rig


def _timeless(card: object) -> str:
    """Return a card without its times and signatures: a worker acts a moment after the answer."""
    return re.sub(r"millisecond='\d+'|key=[\w.-]+", "", str(card))


@pytest.mark.parametrize(
    ("button", "option"), [("b_ack", None), ("s_silence", "2h"), ("b_recapture", None)]
)
def test_the_card_in_the_answer_is_the_one_that_the_outbox_sends(
    reported: Rig, button: str, option: str | None
) -> None:
    before = reported.card()
    answer = reported.press(button, option=option)

    assert answer.card is not None
    assert reported.card().content == answer.card != before.content
    reported.work()
    assert _timeless(reported.card().content) == _timeless(answer.card)
    assert reported.card().revisions > before.revisions + 1


def test_who_takes_care_is_shown_at_once(reported: Rig) -> None:
    answer = reported.press("b_ack")

    assert open_id(OPERATOR) in str(answer.card)
    assert "b_ack" not in reported.card().buttons
    reported.work()
    assert reported.incident().acked_by == open_id(OPERATOR)


@pytest.mark.parametrize("option", CHOICES)
def test_a_silence_is_shown_in_the_answer(reported: Rig, option: str) -> None:
    answer = reported.press("s_silence", option=option)

    assert answer.card is not None
    assert title_of(answer.card).startswith("[silenced]")
    reported.work()
    assert reported.title() == title_of(answer.card)


def test_the_end_of_a_silence_is_shown_in_the_answer(reported: Rig) -> None:
    reported.press("s_silence", option="end")
    reported.work()
    answer = reported.press("s_silence", option="off")

    assert answer.card is not None
    assert not title_of(answer.card).startswith("[silenced]")
    reported.work()
    assert reported.title() == title_of(answer.card)


def test_a_capture_is_shown_as_started_in_the_answer(reported: Rig) -> None:
    answer = reported.press("b_recapture")

    assert answer.card is not None
    assert title_of(answer.card) == CAPTURING
    assert '"rev": 3' in str(answer.card).replace("'", '"')
    reported.work()
    assert (reported.title(), reported.incident().revision) == (CAPTURING, 3)
    reported.work_all()
    assert reported.incident().state is IncidentState.REPORTED
    assert reported.title() != CAPTURING


def test_an_answer_that_is_lost_changes_nothing(reported: Rig) -> None:
    """The card goes back to what it was, as if the answer had never come."""
    shown = reported.card()
    answer = reported.press("b_ack")
    message = reported.apps.emulator.emulator.world.messages[shown.message_id]
    message.content = message.earlier.pop()

    reported.work()

    assert answer.card is not None
    assert open_id(OPERATOR) in str(reported.card().content)


def test_what_turns_out_otherwise_is_corrected(reported: Rig) -> None:
    """Two people press at once on two hosts; a worker sees that the job is over."""
    answer = reported.press("b_recapture")
    assert answer.card is not None
    job = reported.state.load(JobRecord, "jo-1")
    reported.state.save(replace(job, state=JobState.SUCCEEDED))

    reported.work()

    assert title_of(answer.card) == CAPTURING
    assert reported.title() != CAPTURING


def test_a_job_that_is_over_is_not_shown_as_being_captured(reported: Rig) -> None:
    job = reported.state.load(JobRecord, "jo-1")
    reported.state.save(replace(job, state=JobState.SUCCEEDED))

    assert reported.press("b_recapture").card is None


def test_an_update_waits_until_the_answer_is_taken(reported: Rig) -> None:
    """Nothing that was drawn before the click replaces the answer's card."""
    [card_id] = [one.id for one in reported.state.all(Outgoing) if one.incident_id]
    answer = reported.press("b_ack")
    assert not hold(reported.state, card_id)

    reported.context.state.change(Outgoing, card_id, lambda o: replace(o, wanted=o.wanted + 1))
    reported.deliver(card_id)

    assert answer.card is not None
    assert hold(reported.state, card_id)  # The update waited until the first hold had lapsed.


def test_a_card_that_is_being_sent_is_not_in_the_answer(reported: Rig) -> None:
    [card_id] = [one.id for one in reported.state.all(Outgoing) if one.incident_id]
    with reported.state.lock(sending(card_id)):
        answer = reported.press("b_ack")

    assert answer.card is None
    assert answer.toast is not None
    assert answer.toast["type"] == "success"
    reported.work()
    assert open_id(OPERATOR) in str(reported.card().content)


def test_a_card_that_feishu_refused_before_is_not_in_the_answer(reported: Rig) -> None:
    [card_id] = [one.id for one in reported.state.all(Outgoing) if one.incident_id]
    reported.state.change(Outgoing, card_id, lambda known: replace(known, is_simpler=True))

    assert reported.press("b_ack").card is None


def test_an_outdated_card_is_brought_up_to_date_by_the_answer(reported: Rig) -> None:
    reported.state.change(
        Incident, reported.incident().id, lambda i: replace(i, acked_by="", revision=9)
    )

    answer = reported.press("b_ack")

    assert answer.toast is not None
    assert answer.toast["type"] == "warning"
    assert answer.card is not None
    assert '"rev": 9' in str(answer.card).replace("'", '"')


def test_who_may_not_press_gets_no_card(reported: Rig) -> None:
    answer = reported.press("b_ack", user=VIEWER)

    assert answer.toast is not None
    assert (answer.toast["type"], answer.card) == ("warning", None)


def test_a_report_that_cannot_be_read_costs_only_the_card(
    reported: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = reported.state.load(CaptureRecord, reported.incident().captures[0])
    bad = replace(record, id="1")
    reported.state.save(bad)
    reported.state.change(Incident, reported.incident().id, lambda i: replace(i, captures=("1",)))
    monkeypatch.setattr("bot.click_cards.incident_card", lambda *_: 1 / 0)

    answer = reported.press("s_silence", option="end")

    assert answer.error is None
    assert answer.card is None
    reported.work()
    assert reported.state.find(Silence, "jo-1")
