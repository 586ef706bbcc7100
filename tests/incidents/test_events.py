"""Events open, feed and close incidents."""

from dataclasses import replace

import pytest

from rankscope.incidents import acknowledge, handle_event
from rankscope.model.capture import Trigger
from rankscope.model.event import EventJob
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    JobState,
    Outgoing,
)
from rankscope.queueing import Queue, rq_queue
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.conftest import MakeSettings
from tests.incidents.conftest import CHAT, event, queued, replies, the_incident


def test_a_hang_opens_an_incident_with_a_capture_and_a_card(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang", message="no step"), settings)

    incident = the_incident(running)
    [record] = running.all(CaptureRecord)
    card = running.load(Outgoing, incident.id)
    assert incident.id == f"in-{record.id}"
    assert incident.captures == (record.id,)
    assert (incident.state, incident.revision) == (IncidentState.CAPTURING, 1)
    assert (incident.kind, incident.message) == (Trigger.HANG, "no step")
    assert record.trigger is Trigger.HANG
    assert card.chat_id == CHAT
    assert len(card.uuid) <= 50
    assert queued(running.redis) == [f"deliver-{incident.id}-1", f"capture-{record.id}"]
    assert running.open_incident("jo-1") == incident.id
    assert running.load(Job, "jo-1").state is JobState.HANG


def test_an_event_handled_twice_changes_nothing(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    before = the_incident(running)

    handle_event(running, event("job.hang"), settings)

    assert the_incident(running) == before
    assert len(list(running.all(CaptureRecord))) == 1
    assert len(rq_queue(running.redis, Queue.WORK).get_job_ids()) == 1


def test_an_alert_without_capture_is_shown_all_the_same(
    running: State, make_settings: MakeSettings
) -> None:
    settings = make_settings(feishu_chat_id=CHAT, auto_capture=())
    handle_event(running, event("job.slow"), settings)

    incident = the_incident(running)
    assert (incident.state, incident.captures) == (IncidentState.OPEN, ())
    assert queued(running.redis) == [f"deliver-{incident.id}-1"]


def test_an_alert_without_nodes_says_what_to_check(state: State, settings: Settings) -> None:
    handle_event(state, event("job.hang"), settings)

    incident = the_incident(state)
    assert incident.state is IncidentState.OPEN
    assert "agent" in replies(state)["no-agent"]


def test_a_second_alert_joins_and_does_not_capture_at_once_again(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.hang", 5, message="still no step"), settings)

    incident = the_incident(running)
    assert len(incident.captures) == 1
    assert incident.message == "still no step"
    assert incident.revision == 1


def test_a_later_alert_captures_again(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    [record] = running.all(CaptureRecord)
    running.save(
        replace(record, state=CaptureState.REPORTED, requested_at=record.requested_at - 700)
    )

    handle_event(running, event("job.hang", 12), settings)

    incident = the_incident(running)
    assert len(incident.captures) == 2
    assert incident.revision == 2


def test_a_hang_after_a_slow_down_is_the_same_incident_but_graver(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.slow"), settings)
    assert the_incident(running).captures == ()

    handle_event(running, event("job.hang", 1), settings)

    incident = the_incident(running)
    assert incident.kind is Trigger.HANG
    assert len(incident.captures) == 1


@pytest.mark.parametrize(
    ("alert", "recovery", "final"),
    [
        ("job.hang", "job.resumed", IncidentState.RESUMED),
        ("job.hang", "job.running", IncidentState.RESUMED),
        ("job.slow", "job.slow_recovered", IncidentState.RESUMED),
        ("job.hang", "job.failed", IncidentState.ENDED),
        ("job.hang", "job.succeeded", IncidentState.ENDED),
        ("job.slow", "job.stopped", IncidentState.ENDED),
    ],
)
def test_recovery_or_the_end_of_the_job_closes_the_incident(
    running: State, settings: Settings, alert: str, recovery: str, final: IncidentState
) -> None:
    handle_event(running, event(alert), settings)
    handle_event(running, event(recovery, 1), settings)

    incident = the_incident(running)
    assert (incident.state, incident.revision) == (final, 2)
    assert running.open_incident("jo-1") == ""
    assert replies(running)[final.value]
    assert running.load(Outgoing, incident.id).wanted == 2


def test_a_recovered_slow_down_does_not_end_a_hang(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.slow_recovered", 1), settings)

    assert the_incident(running).state is IncidentState.CAPTURING


def test_a_late_event_changes_nothing(running: State, settings: Settings) -> None:
    handle_event(running, event("job.running", 5), settings)
    handle_event(running, event("job.hang", 4), settings)

    assert list(running.all(Incident)) == []


def test_a_restart_closes_the_incident_and_forgets_the_nodes(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang", attempt=1), settings)
    handle_event(running, event("job.running", 1, attempt=2), settings)

    assert the_incident(running).state is IncidentState.CLOSED
    assert running.nodes_of("jo-1") == []


def hang_and_resume(running: State, settings: Settings, minute: float) -> None:
    """Let jo-1 hang, its capture be reported, and the job go on."""
    handle_event(running, event("job.hang", minute), settings)
    for record in list(running.all(CaptureRecord)):
        running.save(replace(record, state=CaptureState.REPORTED))
    handle_event(running, event("job.resumed", minute + 1), settings)


def test_the_next_hang_is_a_new_incident(running: State, make_settings: MakeSettings) -> None:
    settings = make_settings(feishu_chat_id=CHAT, flap_s=0)
    hang_and_resume(running, settings, 0)
    handle_event(running, event("job.hang", 2), settings)

    assert len(list(running.all(Incident))) == 2
    assert len(list(running.all(CaptureRecord))) == 2


def test_a_relapse_reopens_the_incident_and_is_captured_once(
    running: State, settings: Settings
) -> None:
    for minute in range(0, 12, 2):
        hang_and_resume(running, settings, minute)
    handle_event(running, event("job.hang", 12), settings)

    incident = the_incident(running)
    assert (incident.state, incident.flaps) == (IncidentState.OPEN, 6)
    assert len(incident.captures) == 2
    assert running.open_incident("jo-1") == incident.id
    assert {name for name in replies(running) if name.startswith("flap")} == {
        "flap-1",
        "flap-2",
        "flap-4",
    }


def test_who_took_care_of_an_incident_is_asked_again_after_a_relapse(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang"), settings)
    acknowledge(running, the_incident(running).id, "ou_li")
    handle_event(running, event("job.resumed", 1), settings)
    handle_event(running, event("job.hang", 2), settings)

    assert the_incident(running).acked_by == ""


def test_the_job_takes_over_what_an_event_tells_of_its_image_and_command(
    state: State, settings: Settings
) -> None:
    told = EventJob(id="jo-1", image="reg/llama:3", command="torchrun train.py")
    handle_event(state, event("job.running", job=told), settings)

    job = state.load(Job, "jo-1")
    assert (job.image, job.command) == ("reg/llama:3", "torchrun train.py")
