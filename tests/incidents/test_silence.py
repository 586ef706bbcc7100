"""Silenced jobs: alerts are noted, not heard, and raised when the silence is over."""

from dataclasses import replace

import pytest

from rankscope.incidents import (
    Ask,
    end_silences,
    handle_event,
    request_capture,
    silence_job,
    silence_of,
    unsilence_job,
)
from rankscope.model.capture import Trigger
from rankscope.model.state import CaptureRecord, Incident, IncidentState, Job, Outgoing, Silence
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import event, replies, the_incident


def pass_time(state: State) -> None:
    """Let the silence's time be over."""
    silence = state.load(Silence, "jo-1")
    state.save(replace(silence, until=1.0))


def test_a_muted_alert_makes_no_card_no_capture_and_no_reply(
    running: State, settings: Settings
) -> None:
    silence_job(running, "jo-1", "ou_li", 1800)
    handle_event(running, event("job.hang"), settings)

    assert list(running.all(Incident)) == []
    assert list(running.all(CaptureRecord)) == []
    assert list(running.all(Outgoing)) == []
    assert running.load(Silence, "jo-1").muted == 1
    assert running.load(Job, "jo-1").state.value == "hang"


def test_an_alert_muted_on_an_open_card_is_shown_there_only(
    running: State, settings: Settings
) -> None:
    handle_event(running, event("job.hang"), settings)
    silence_job(running, "jo-1", "ou_li", 0)
    handle_event(running, event("job.hang", 20, message="still"), settings)
    handle_event(running, event("job.resumed", 21), settings)

    incident = the_incident(running)
    assert (incident.message, incident.state) == ("still", IncidentState.RESUMED)
    assert len(incident.captures) == 1
    assert replies(running) == {}


def test_what_was_muted_is_raised_when_the_silence_ends(running: State, settings: Settings) -> None:
    silence_job(running, "jo-1", "ou_li", 1800)
    handle_event(running, event("job.hang", message="no step"), settings)
    end_silences(running, settings)
    assert list(running.all(Incident)) == []

    pass_time(running)
    for _ in range(2):
        end_silences(running, settings)

    assert the_incident(running).message == "no step"
    assert len(list(running.all(CaptureRecord))) == 1
    assert running.find(Silence, "jo-1") is None


def test_nothing_is_raised_for_a_job_that_moves_again(running: State, settings: Settings) -> None:
    silence_job(running, "jo-1", "ou_li", 1800)
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.resumed", 1), settings)
    pass_time(running)
    end_silences(running, settings)

    assert list(running.all(Incident)) == []


@pytest.mark.parametrize("kind", ["job.failed", "job.succeeded"])
def test_a_silence_until_the_end_ends_with_the_job(
    running: State, settings: Settings, kind: str
) -> None:
    silence_job(running, "jo-1", "ou_li", 0)
    handle_event(running, event("job.hang"), settings)
    handle_event(running, event("job.resumed", 1), settings)
    assert silence_of(running, "jo-1") is not None

    handle_event(running, event(kind, 2), settings)

    assert silence_of(running, "jo-1") is None


def test_a_restarted_job_is_heard_again(running: State, settings: Settings) -> None:
    handle_event(running, event("job.running", attempt=1), settings)
    silence_job(running, "jo-1", "ou_li", 0)
    handle_event(running, event("job.hang", 1, attempt=2), settings)

    assert the_incident(running).state is IncidentState.OPEN
    assert silence_of(running, "jo-1") is None


def test_a_silence_may_be_taken_back(running: State, settings: Settings) -> None:
    assert not unsilence_job(running, "jo-1", "ou_li")
    silence_job(running, "jo-1", "ou_li", 0)
    handle_event(running, event("job.hang"), settings)

    assert unsilence_job(running, "jo-1", "ou_wang")
    end_silences(running, settings)

    assert the_incident(running).state is IncidentState.CAPTURING


def test_the_card_tells_who_silenced(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    silence_job(running, "jo-1", "ou_li", 1800)

    incident = the_incident(running)
    assert (incident.last_actor, incident.last_action) == ("ou_li", "silence")
    assert running.load(Outgoing, incident.id).wanted == 2


def test_a_muted_alert_does_not_replace_the_card_of_a_manual_look(
    running: State, settings: Settings
) -> None:
    ask = Ask(job_id="jo-1", trigger=Trigger.MANUAL, request_id="m", chat_id="oc", by="ou_li")
    request_capture(running, ask)
    incident = replace(the_incident(running), state=IncidentState.REPORTED)
    running.save(incident)
    silence_job(running, "jo-1", "ou_li", 0)
    handle_event(running, event("job.hang", message="no step"), settings)

    assert the_incident(running).message == "no step"
    assert the_incident(running).state is IncidentState.REPORTED
