"""Somebody asks for a capture: started, joined or refused."""

import time
from dataclasses import replace

import pytest

from rankscope.incidents import (
    Ask,
    Joined,
    NoNodes,
    NotRunning,
    Started,
    UnknownJob,
    handle_event,
    note_progress,
    request_capture,
)
from rankscope.model.capture import Trigger
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    JobState,
)
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import CHAT, event, queued, the_incident

MANUAL = Ask(
    job_id="jo-1",
    trigger=Trigger.MANUAL,
    request_id="message-om_1",
    chat_id=CHAT,
    by="ou_li",
    action="capture",
    message_id="om_1",
)


def finish(state: State, print_id: str, new: CaptureState = CaptureState.REPORTED) -> None:
    record = state.load(CaptureRecord, print_id)
    state.save(replace(record, state=new))


def started(state: State, ask: Ask = MANUAL) -> Started:
    outcome = request_capture(state, ask)
    assert isinstance(outcome, Started)
    return outcome


def test_a_command_starts_a_capture(running: State) -> None:
    outcome = started(running)

    incident = running.load(Incident, outcome.incident_id)
    record = running.load(CaptureRecord, outcome.print_id)
    assert (incident.last_actor, incident.last_action) == ("ou_li", "capture")
    assert record.requested_by == "ou_li"
    assert record.answer_to == ""
    assert f"capture-{outcome.print_id}" in queued(running.redis)


def test_the_same_wish_again_is_the_same_capture(running: State) -> None:
    assert started(running) == started(running)
    assert len(list(running.all(CaptureRecord))) == 1
    assert the_incident(running).revision == 1


def test_a_wish_broken_off_halfway_is_completed(running: State) -> None:
    outcome = started(running)
    running.redis.delete(f"rankscope:capturerecord:{outcome.print_id}")

    assert started(running) == outcome
    assert the_incident(running).captures == (outcome.print_id,)


def test_a_second_wish_joins_the_running_capture(running: State) -> None:
    first = started(running)
    note_progress(running, first.print_id, CaptureState.RUNNING, 1, 2)

    outcome = request_capture(running, replace(MANUAL, request_id="message-om_2"))

    assert outcome == Joined(first.print_id, done=1, asked=2)


def test_after_a_finished_capture_another_may_start(running: State) -> None:
    first = started(running)
    finish(running, first.print_id, CaptureState.FAILED)

    second = started(running, replace(MANUAL, request_id="message-om_2"))

    incident = the_incident(running)
    assert incident.captures == (first.print_id, second.print_id)
    assert second.incident_id == first.incident_id
    assert incident.revision == 2


def test_an_unknown_job_is_refused(running: State) -> None:
    assert request_capture(running, replace(MANUAL, job_id="jo-2")) == UnknownJob("jo-2")


@pytest.mark.parametrize("state_now", [JobState.QUEUED, JobState.FAILED, JobState.SUCCEEDED])
def test_a_job_that_does_not_run_is_refused(running: State, state_now: JobState) -> None:
    job = Job(id="jo-1", state=state_now)
    running.save(job)

    assert request_capture(running, MANUAL) == NotRunning(job)
    assert queued(running.redis) == []


def test_a_job_on_no_known_node_is_refused(state: State) -> None:
    state.save(Job(id="jo-1", state=JobState.RUNNING, nodes={"gpu07": ""}))

    assert request_capture(state, MANUAL) == NoNodes("jo-1")
    assert list(state.all(Incident)) == []


def test_a_refused_wish_takes_no_claim(state: State) -> None:
    request_capture(state, MANUAL)

    assert state.holder("capture:jo-1") == ""


def test_an_alert_gets_a_card_of_its_own_beside_a_manual_one(
    running: State, settings: Settings
) -> None:
    manual = started(running)
    finish(running, manual.print_id)
    shown = running.load(Incident, manual.incident_id)
    running.save(replace(shown, state=IncidentState.REPORTED))

    handle_event(running, event("job.hang"), settings)

    assert running.load(Incident, manual.incident_id).state is IncidentState.CLOSED
    assert running.open_incident("jo-1") != manual.incident_id


def test_a_command_an_hour_later_gets_a_new_card(running: State) -> None:
    first = started(running)
    finish(running, first.print_id)
    shown = running.load(Incident, first.incident_id)
    old = replace(shown, state=IncidentState.REPORTED, opened_at=time.time() - 4000)
    running.save(old)

    second = started(running, replace(MANUAL, request_id="message-om_2"))

    assert second.incident_id != first.incident_id


def test_a_command_from_another_chat_is_answered_there(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    finish(running, the_incident(running).captures[0])

    outcome = started(running, replace(MANUAL, chat_id="oc_private"))

    assert running.load(CaptureRecord, outcome.print_id).answer_to == "om_1"
    assert the_incident(running).chat_id == CHAT
