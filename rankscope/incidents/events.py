"""An event about a job: the job's record, then its incident."""

import hashlib
import time
from collections.abc import Collection
from dataclasses import replace

import structlog

from rankscope.incidents.alerts import raise_alert
from rankscope.incidents.flapping import remember_resumed
from rankscope.incidents.job_events import RESUMED, Applied, apply_event, is_of_older_attempt
from rankscope.incidents.logs import keep_logs
from rankscope.incidents.news import (
    News,
    diagnosis_of,
    news_of,
    read_again,
    tell_end,
    tell_trouble,
)
from rankscope.incidents.records import change_incident, close_incident, job_lock, open_incident
from rankscope.incidents.requests import Ask
from rankscope.incidents.silence import drop_silence, silence_of
from rankscope.incidents.slowness import recovered, slowness_of
from rankscope.incidents.sources import note_source
from rankscope.incidents.subscriptions import tell_over
from rankscope.model.capture import Trigger
from rankscope.model.event import Event
from rankscope.model.state import IncidentState, Job
from rankscope.model.text import Text
from rankscope.redaction import redact
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import say

_log = structlog.get_logger()


def handle_event(state: State, event: Event, settings: Settings) -> None:
    """Bring a job and its incident up to date; an outdated event changes nothing."""
    event = without_secrets(event)
    with job_lock(state, event.job.id):
        job = state.find(Job, event.job.id) or Job(id=event.job.id)
        applied = apply_event(job, event, time.time())
        note_source(state, event)
        has_logs = not is_of_older_attempt(job, event) and keep_logs(state, applied.job, event)
        if applied.stale:
            _log.info("event outdated", job_id=job.id, event_id=event.id, type=event.type)
            if has_logs:
                read_again(state, job, settings)
            return
        if applied.restarted:
            state.forget_nodes(job.id)
            drop_silence(state, job.id)
            _close(state, job, IncidentState.CLOSED, say("incident-restarted"), settings)
        state.save(applied.job)
        _follow(state, event, applied, settings)


def without_secrets(event: Event) -> Event:
    """Return an event whose free words, which go to cards and into Redis, hold no secrets."""
    return replace(
        event,
        message=redact(event.message),
        labels={name: redact(value) for name, value in event.labels.items()},
        job=replace(event.job, command=redact(event.job.command)),
    )


def _follow(state: State, event: Event, applied: Applied, settings: Settings) -> None:
    job, news = applied.job, news_of(event, applied, _digest(event))
    if applied.ended and news:
        drop_silence(state, job.id)
        tell_end(state, job, news, settings)
    elif applied.recovered or applied.runs_again:
        _note_recovery(state, event, job)
        _resume(state, event, applied, settings)
    elif applied.alert:
        raise_alert(state, _ask(state, event, applied, settings), settings)
    elif news:
        tell_trouble(state, job, news, settings)
    elif event.logs:
        read_again(state, job, settings)


def _resume(state: State, event: Event, applied: Applied, settings: Settings) -> None:
    """End what is over: a job that runs again has new processes, steps that go on end all.

    Restarts that lead to nothing are only over when steps go on.
    """
    goes_on, kinds = event.type == RESUMED, applied.recovered
    if goes_on or applied.runs_again:
        kinds = frozenset({Trigger.HANG, Trigger.SLOW, Trigger.FAILED})
    current = open_incident(state, applied.job.id)
    if current is not None and current.event == "job.stalled_restarts" and not goes_on:
        return
    text = say("incident-resumed" if applied.recovered else "incident-runs-again")
    _close(state, applied.job, IncidentState.RESUMED, text, settings, kinds)


def _note_recovery(state: State, event: Event, job: Job) -> None:
    """Show on the card of a slow-down with which steps it was over."""
    incident, over = open_incident(state, job.id), slowness_of(event)
    if incident is not None and incident.slow is not None and over is not None:
        change_incident(state, incident.id, lambda i: replace(i, slow=recovered(i.slow, over)))


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
    if said is not None:
        tell_over(state, incident, said, settings)


def _ask(state: State, event: Event, applied: Applied, settings: Settings) -> Ask:
    assert applied.alert is not None  # noqa: S101 - the caller looked
    news = News(event.type, event.message, key=_digest(event))
    diagnosis = diagnosis_of(state, applied.job, news)
    return Ask(
        job_id=event.job.id,
        trigger=applied.alert,
        request_id=f"event-{_digest(event)}",
        chat_id=settings.feishu_chat_id,
        message=event.message,
        diagnosis=diagnosis,
        slow=slowness_of(event) if applied.alert is Trigger.SLOW else None,
    )


def _digest(event: Event) -> str:
    return hashlib.sha256(f"{event.source}\n{event.id}".encode()).hexdigest()[:40]
