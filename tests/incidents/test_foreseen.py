"""What a card will show after a click, before anybody has acted on it."""

from dataclasses import replace

import pytest

from rankscope.cards.view import IncidentView
from rankscope.incidents.foreseen import foreseen
from rankscope.model.capture import Trigger
from rankscope.model.chat import Click
from rankscope.model.state import Incident, IncidentState, Job, JobState

VIEW = IncidentView(
    incident=Incident(
        id="in-1",
        job_id="jo-1",
        kind=Trigger.HANG,
        chat_id="oc_1",
        opened_at=0.0,
        state=IncidentState.REPORTED,
        captures=("1",),
    )
)
CLICK = Click(
    event_id="e",
    action="ack",
    incident_id="in-1",
    revision=1,
    operator="ou_li",
    message_id="om_1",
    chat_id="oc_1",
)


def after(**changes: str) -> IncidentView:
    view = foreseen(VIEW, replace(CLICK, **changes), 1000.0)  # type: ignore[arg-type]
    assert view is not None
    return view


def test_who_acknowledges_is_known() -> None:
    seen = after().incident
    assert (seen.acked_by, seen.acked_at, seen.last_action) == ("ou_li", 1000.0, "ack")
    assert (seen.state, seen.revision) == (IncidentState.REPORTED, 1)


@pytest.mark.parametrize(("option", "until"), [("30m", 2800.0), ("2h", 8200.0), ("end", 0.0)])
def test_until_when_a_job_is_silenced_is_known(option: str, until: float) -> None:
    silence = after(action="silence", option=option).silence
    assert silence is not None
    assert (silence.until, silence.by) == (until, "ou_li")


def test_a_silence_that_ends_is_gone() -> None:
    view = after(action="silence", option="off")
    assert view.silence is None
    assert view.incident.last_action == "unsilence"


def test_a_capture_begins_with_a_new_revision() -> None:
    seen = after(action="recapture")
    assert (seen.incident.state, seen.incident.revision) == (IncidentState.CAPTURING, 2)
    assert len(seen.incident.captures) == 2
    assert seen.capture is not None
    assert seen.capture.nodes_asked == 0


def test_what_is_not_known_yet_is_not_foreseen() -> None:
    over = replace(VIEW, job=Job(id="jo-1", state=JobState.FAILED))
    assert foreseen(over, replace(CLICK, action="recapture"), 0.0) is None
    assert foreseen(VIEW, replace(CLICK, action="compare"), 0.0) is None
    assert foreseen(VIEW, replace(CLICK, action="bundle"), 0.0) is None
