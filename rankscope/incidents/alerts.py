"""An alert: it opens an incident or joins one, captures when the settings want it, or is muted."""

import time
from dataclasses import replace

import structlog

from rankscope.chat import replies
from rankscope.incidents.announce import announce
from rankscope.incidents.escalation import forget_escalation
from rankscope.incidents.flapping import reopen_recent
from rankscope.incidents.job_events import ALERTS
from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.incidents.outcomes import NoNodes, Started
from rankscope.incidents.records import job_lock, open_incident
from rankscope.incidents.requests import Ask, join_incident, request_locked, weight
from rankscope.incidents.routes import is_muted, routed
from rankscope.incidents.silence import drop_silence, is_over, note_muted, silence_of
from rankscope.model.state import CaptureRecord, Incident, IncidentState, Job, Silence
from rankscope.settings import Settings
from rankscope.store.state import State

COOLDOWN_S = 600.0
"""A repeated alert of an open incident starts a new capture only after ten minutes."""

_log = structlog.get_logger()


def raise_alert(state: State, ask: Ask, settings: Settings) -> None:
    """Show an alert, with a capture when the settings want one; it is never lost for want of it.

    The caller holds the job's lock. An alert of a silenced job is noted on its open card only.
    """
    silence = silence_of(state, ask.job_id)
    current = open_incident(state, ask.job_id)
    if silence is not None:
        _mute(state, ask, silence, current)
        return
    ask = routed(state, ask, settings)
    if is_muted(state, ask):
        return
    current = current or reopen_recent(state, ask, settings)
    incident = _shown(state, ask, settings, current)
    announce(state, incident, ask, settings)


def _shown(state: State, ask: Ask, settings: Settings, current: Incident | None) -> Incident:
    """Return the incident that shows the alert, with a capture when one is wanted and due."""
    if _wants_capture(ask, settings) and _is_due(state, current, ask):
        outcome = request_locked(state, ask)
        if isinstance(outcome, Started):
            return state.load(Incident, outcome.incident_id)
        if isinstance(outcome, NoNodes):
            incident = join_incident(state, ask, _print_id(state, ask), IncidentState.OPEN)
            text = replies.no_agent(ask.job_id)
            reply_in_thread(state, incident, "no-agent", text, settings.language)
            return incident
    return join_incident(state, ask, _print_id(state, ask), IncidentState.OPEN)


def _wants_capture(ask: Ask, settings: Settings) -> bool:
    routed_to = ask.plan.auto_capture
    return ask.trigger in settings.auto_capture if routed_to is None else routed_to


def _mute(state: State, ask: Ask, silence: Silence, current: Incident | None) -> None:
    note_muted(state, silence)
    _log.info("alert muted", job_id=ask.job_id, by=silence.by)
    if current is not None:
        message = ask.message or current.message
        show_card(state, state.change(Incident, current.id, lambda i: replace(i, message=message)))


def _print_id(state: State, ask: Ask) -> str:
    return state.new_print_id(ask.request_id)


def _is_due(state: State, current: Incident | None, ask: Ask) -> bool:
    if current is None or not current.captures or weight(ask.trigger) > weight(current.kind):
        return True
    latest = state.find(CaptureRecord, current.captures[-1])
    same = latest is not None and latest.id == _print_id(state, ask)
    relapsed = current.state is IncidentState.OPEN and current.flaps == 1
    if same or latest is None or relapsed:
        return True
    return time.time() - latest.requested_at > COOLDOWN_S


# The end of a silence.


def end_silences(state: State, settings: Settings) -> None:
    """End the silences whose time has passed; called every minute."""
    for silence in list(state.all(Silence)):
        if is_over(silence):
            with job_lock(state, silence.id):
                _end_silence(state, silence.id, settings)


def _end_silence(state: State, job_id: str, settings: Settings) -> None:
    """Show that a silence is over, and raise what it muted if the job is still in trouble."""
    silence = state.find(Silence, job_id)
    if silence is None or not is_over(silence):
        return  # It was renewed meanwhile.
    job, current = state.find(Job, job_id), open_incident(state, job_id)
    if silence.muted and job is not None and job.state in ALERTS:
        ask = Ask(
            job_id=job_id,
            trigger=ALERTS[job.state],
            request_id=f"unmuted-{job_id}-{silence.until:.0f}",
            chat_id=settings.feishu_chat_id,
            message=job.message,
        )
        if current is not None:
            forget_escalation(state, current.id)
        raise_alert(state, ask, settings)
    elif current is not None:
        show_card(state, current)
    drop_silence(state, job_id)
