"""An event about a job: the job's record, then its incident."""

import hashlib
import time
from collections.abc import Collection

import structlog

from rankscope.chat import replies
from rankscope.incidents.job_events import Applied, apply_event
from rankscope.incidents.outbox import reply_in_thread
from rankscope.incidents.outcomes import NoNodes, Started
from rankscope.incidents.records import close_incident, job_lock, open_incident
from rankscope.incidents.requests import Ask, join_incident, request_locked, weight
from rankscope.model.event import Event
from rankscope.model.state import CaptureRecord, Incident, IncidentState, Job
from rankscope.model.text import Text
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import say

COOLDOWN_S = 600.0
"""A repeated alert of an open incident starts a new capture only after ten minutes."""

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
            _close(state, job, IncidentState.CLOSED, say("incident-restarted"), settings)
        state.save(applied.job)
        _follow(state, event, applied, settings)


def _follow(state: State, event: Event, applied: Applied, settings: Settings) -> None:
    job = applied.job
    if applied.ended:
        text = say(f"incident-ended-{job.state.value}")
        _close(state, job, IncidentState.ENDED, text, settings)
    elif applied.recovered:
        text, kinds = say("incident-resumed"), applied.recovered
        _close(state, job, IncidentState.RESUMED, text, settings, kinds)
    elif applied.alert:
        _alert(state, _ask(event, applied, settings), settings)


def _close(
    state: State,
    job: Job,
    final: IncidentState,
    text: Text,
    settings: Settings,
    kinds: Collection[str] = (),
) -> None:
    incident = open_incident(state, job.id)
    if incident is not None and (not kinds or incident.kind in kinds):
        close_incident(state, incident, final, text, settings.language)


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


def _alert(state: State, ask: Ask, settings: Settings) -> None:
    """Show an alert, with a capture when the settings want one; it is never lost for want of it."""
    current = open_incident(state, ask.job_id)
    if ask.trigger in settings.auto_capture and _is_due(state, current, ask):
        outcome = request_locked(state, ask)
        if isinstance(outcome, Started):
            return
        if isinstance(outcome, NoNodes):
            incident = join_incident(state, ask, _print_id(state, ask), IncidentState.OPEN)
            text = replies.no_agent(ask.job_id)
            reply_in_thread(state, incident, "no-agent", text, settings.language)
            return
    join_incident(state, ask, _print_id(state, ask), IncidentState.OPEN)


def _print_id(state: State, ask: Ask) -> str:
    return state.new_print_id(ask.request_id)


def _is_due(state: State, current: Incident | None, ask: Ask) -> bool:
    if current is None or not current.captures or weight(ask.trigger) > weight(current.kind):
        return True
    latest = state.find(CaptureRecord, current.captures[-1])
    same = latest is not None and latest.id == _print_id(state, ask)
    return same or latest is None or time.time() - latest.requested_at > COOLDOWN_S
