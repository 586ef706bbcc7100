"""Pressed buttons."""

import time
from dataclasses import replace
from typing import Any

import pytest

from rankscope.errors import NotFound
from rankscope.incidents import silence_of
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.captures import remember_capture
from rankscope.incidents.people import name_of
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
from rankscope.queueing import submitted
from tests.incidents.conftest import queued, replies
from tests.workers.conftest import LATER_ID, PRINT_ID, FakeFeishu, an_incident
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


def press(context: Context, action: str, **changes: Any) -> None:
    event_id = f"e-{action}-{changes.get('option', '')}"
    handle_click(context, replace(CLICK, action=action, event_id=event_id, **changes))


def test_chosen_captures_are_compared(context: Context, incident: Incident) -> None:
    third = "1780890515107774003"
    record = context.state.load(CaptureRecord, PRINT_ID)
    context.state.save(replace(record, id=third))
    context.state.save(replace(incident, captures=(*incident.captures, third)))

    press(context, "compare", form={"before": third, "after": PRINT_ID})

    assert f"compare-in-1-{PRINT_ID}-{third}-r2" in queued(context.redis)


def test_a_capture_is_not_compared_with_itself(context: Context, incident: Incident) -> None:
    press(context, "compare", form={"before": PRINT_ID, "after": PRINT_ID})

    assert not [one for one in queued(context.redis) if one.startswith("compare")]


def test_who_acknowledges_is_shown_and_on_record(context: Context, incident: Incident) -> None:
    press(context, "ack")
    press(context, "ack", operator="ou_wang")

    assert context.state.load(Incident, "in-1").acked_by == "ou_li"
    [deed] = deeds_of(context.state, "jo-1")
    assert (deed.who, deed.what, deed.outcome) == ("ou_li", "ack", "done")


def test_the_job_is_silenced_and_heard_again(context: Context, incident: Incident) -> None:
    press(context, "silence", option="2h")
    silence = silence_of(context.state, "jo-1")
    assert silence is not None
    assert (silence.by, round(silence.until - silence.at)) == ("ou_li", 7200)

    press(context, "silence", option="off")
    assert silence_of(context.state, "jo-1") is None
    assert [deed.what for deed in deeds_of(context.state, "jo-1")] == ["unsilence", "silence"]


def test_a_bundle_is_of_the_last_finished_capture(context: Context, incident: Incident) -> None:
    context.state.save(replace(incident, state=IncidentState.ENDED))

    press(context, "bundle")

    [job_id] = [one for one in queued(context.redis) if one.startswith("bundle")]
    arguments = submitted(context.redis, job_id)
    assert arguments == ("in-1", LATER_ID, "r2")


def test_a_bundle_needs_a_report(context: Context, incident: Incident) -> None:
    for print_id in incident.captures:
        record = context.state.load(CaptureRecord, print_id)
        context.state.save(replace(record, state=CaptureState.FAILED))

    press(context, "bundle")

    assert "report" in replies(context.state)["bundle-r2"]


def test_who_captures_too_soon_hears_when(context: Context, incident: Incident) -> None:
    context.settings = context.settings.model_copy(update={"recapture_cooldown_s": 60.0})
    record = context.state.load(CaptureRecord, LATER_ID)
    remember_capture(context.state, replace(record, requested_at=time.time()))

    press(context, "recapture")

    assert len(context.state.load(Incident, "in-1").captures) == 2
    assert " s." in replies(context.state)["recapture-r2"]
    assert deeds_of(context.state, "jo-1")[0].outcome == "too-soon"


def test_the_name_of_who_pressed_is_learned_once(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.names["ou_li"] = "李雷"
    press(context, "ack")
    feishu.names["ou_li"] = "韩梅梅"
    press(context, "silence", option="end")

    assert name_of(context.state, "ou_li") == "李雷"
    assert name_of(context.state, "ou_other") == "ou_other"
