"""An event about a job: the job's record, then its incident."""

import hashlib
import time
from collections.abc import Collection

import structlog

from rankscope.incidents.alerts import raise_alert
from rankscope.incidents.flapping import remember_resumed
from rankscope.incidents.job_events import Applied, apply_event
from rankscope.incidents.records import close_incident, job_lock, open_incident
from rankscope.incidents.requests import Ask
from rankscope.incidents.silence import drop_silence, silence_of
from rankscope.model.event import Event
from rankscope.model.state import IncidentState, Job
from rankscope.model.text import Text
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import say

_log = structlog.get_logger()


def handle_event(state: State, event: Event, settings: Settings) -> None:
    """Bring a job and its incident up to date; an outdated event changes nothing."""
    with job_lock(state, event.job.id):
        job = state.find(Job, event.job.id) or Job(id=event.job.id)
        applied = apply_event(job, event, time.time())
        if applied.stale:
            _log.info("event outdated", job_id=job.id, event_id=event.id, type=event.type)
            return
        if applied.restarted:
            state.forget_nodes(job.id)
            drop_silence(state, job.id)
            _close(state, job, IncidentState.CLOSED, say("incident-restarted"), settings)
        state.save(applied.job)
        _follow(state, event, applied, settings)


def _follow(state: State, event: Event, applied: Applied, settings: Settings) -> None:
    job = applied.job
    if applied.ended:
        drop_silence(state, job.id)
        text = say(f"incident-ended-{job.state.value}")
        _close(state, job, IncidentState.ENDED, text, settings)
    elif applied.recovered:
        text, kinds = say("incident-resumed"), applied.recovered
        _close(state, job, IncidentState.RESUMED, text, settings, kinds)
    elif applied.alert:
        raise_alert(state, _ask(event, applied, settings), settings)


def _close(
    state: State,
    job: Job,
    final: IncidentState,
    text: Text,
    settings: Settings,
    kinds: Collection[str] = (),
) -> None:
    incident = open_incident(state, job.id)
    if incident is None or (kinds and incident.kind not in kinds):
        return
    if final is IncidentState.RESUMED:
        remember_resumed(state, incident, settings.flap_s)
    said = None if silence_of(state, job.id) else text
    close_incident(state, incident, final, said, settings.language)


def _ask(event: Event, applied: Applied, settings: Settings) -> Ask:
    assert applied.alert is not None  # noqa: S101 - the caller looked
    digest = hashlib.sha256(f"{event.source}\n{event.id}".encode()).hexdigest()[:40]
    return Ask(
        job_id=event.job.id,
        trigger=applied.alert,
        request_id=f"event-{digest}",
        chat_id=settings.feishu_chat_id,
        message=event.message,
    )
