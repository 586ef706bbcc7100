"""Damping: a job that is in trouble again soon after it recovered gets its incident back.

So there is one card, not one for every swing. The first relapse is captured anew; later ones only
when the usual pause between two captures has passed.
"""

from dataclasses import replace
from typing import cast

from rankscope.chat import replies
from rankscope.incidents.outbox import reply_in_thread
from rankscope.incidents.records import enter
from rankscope.incidents.requests import Ask
from rankscope.model.state import Incident, IncidentState
from rankscope.settings import Settings
from rankscope.store.state import PREFIX, State


def remember_resumed(state: State, incident: Incident, flap_s: float) -> None:
    """Let an incident that has just resumed be reopened for so many seconds."""
    if flap_s > 0:
        state.redis.set(_key(incident.job_id), incident.id, px=int(flap_s * 1000))


def reopen_recent(state: State, ask: Ask, settings: Settings) -> Incident | None:
    """Reopen the job's incident that resumed a moment ago, and say so; None when there is none."""
    raw = cast("bytes | None", state.redis.get(_key(ask.job_id)))
    recent = state.find(Incident, raw.decode()) if raw else None
    if recent is None or recent.state is not IncidentState.RESUMED:
        return None
    flaps = recent.flaps + 1
    if flaps & (flaps - 1) == 0:  # Told at the 1st, 2nd, 4th, 8th … time only.
        text = replies.flapping(recent.job_id, flaps)
        reply_in_thread(state, recent, f"flap-{flaps}", text, settings.language)
    reopened = state.change(Incident, recent.id, _reopened)
    state.clear_open_incident(ask.job_id, state.open_incident(ask.job_id))
    state.set_open_incident(ask.job_id, reopened.id)
    return reopened


def _reopened(incident: Incident) -> Incident:
    """Return the incident open again; whoever took care of it before may look elsewhere now."""
    fresh = replace(incident, flaps=incident.flaps + 1, acked_by="", acked_at=0.0)
    return enter(fresh, IncidentState.OPEN)


def _key(job_id: str) -> str:
    return f"{PREFIX}:resumed:{job_id}"
