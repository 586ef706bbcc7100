"""Pressed buttons."""

from dataclasses import replace

import pytest

from rankscope.errors import NotFound
from rankscope.model.capture import Trigger
from rankscope.model.chat import Click
from rankscope.model.state import (
    AgentBeat,
    AgentJob,
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    JobState,
)
from tests.incidents.conftest import queued, replies
from tests.workers.conftest import LATER_ID, PRINT_ID, an_incident
from workers.clicks import handle_click
from workers.context import Context

CLICK = Click(
    event_id="e",
    action="recapture",
    incident_id="in-1",
    revision=2,
    operator="ou_li",
    message_id="om_1",
    chat_id="oc_team",
)


@pytest.fixture
def incident(context: Context) -> Incident:
    seen = AgentJob(job_id="jo-1")
    context.state.beat(AgentBeat(node="a", endpoint="http://10.0.0.1", version="1", jobs=(seen,)))
    incident = an_incident(state=IncidentState.REPORTED, revision=2, captures=(PRINT_ID, LATER_ID))
    for print_id in incident.captures:
        record = CaptureRecord(
            id=print_id,
            job_id="jo-1",
            incident_id="in-1",
            trigger=Trigger.HANG,
            requested_at=0.0,
            state=CaptureState.REPORTED,
        )
        context.state.save(record)
    context.state.save(incident)
    context.state.set_open_incident("jo-1", "in-1")
    return incident


def test_recapture_takes_another_capture_in_the_incident(
    context: Context, incident: Incident
) -> None:
    for _ in range(2):
        handle_click(context, CLICK)

    changed = context.state.load(Incident, "in-1")
    assert len(changed.captures) == 3
    assert (changed.state, changed.revision) == (IncidentState.CAPTURING, 3)
    assert (changed.last_actor, changed.last_action) == ("ou_li", "recapture")
    assert changed.kind is Trigger.HANG


def test_recapture_of_a_job_that_has_ended_is_answered(
    context: Context, incident: Incident
) -> None:
    context.state.save(Job(id="jo-1", state=JobState.SUCCEEDED))

    handle_click(context, CLICK)

    assert "jo-1" in replies(context.state)["recapture-r2"]


def test_compare_takes_the_last_two_finished_captures(context: Context, incident: Incident) -> None:
    record = context.state.load(CaptureRecord, PRINT_ID)
    context.state.save(replace(record, id="1780890515107774003", state=CaptureState.FAILED))
    longer = replace(incident, captures=(*incident.captures, "1780890515107774003"))
    context.state.save(longer)

    handle_click(context, replace(CLICK, action="compare"))

    changed = context.state.load(Incident, "in-1")
    assert f"compare-in-1-{PRINT_ID}-{LATER_ID}-r2" in queued(context.redis)
    assert (changed.revision, changed.last_action) == (2, "compare")


def test_compare_needs_two_finished_captures(context: Context, incident: Incident) -> None:
    record = context.state.load(CaptureRecord, LATER_ID)
    context.state.save(replace(record, state=CaptureState.FAILED))

    handle_click(context, replace(CLICK, action="compare"))

    assert replies(context.state)["compare-r2"]


def test_a_click_on_what_has_just_ended_is_answered(context: Context, incident: Incident) -> None:
    context.state.save(replace(incident, state=IncidentState.ENDED))

    handle_click(context, CLICK)

    assert len(context.state.load(Incident, "in-1").captures) == 2
    assert replies(context.state)["recapture-r2"]


def test_a_click_on_an_expired_incident_fails(context: Context) -> None:
    with pytest.raises(NotFound):
        handle_click(context, CLICK)
