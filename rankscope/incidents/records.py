"""Small steps on the records of a job, all of them taken while holding the job's lock."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from redis.lock import Lock

from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState, Job
from rankscope.model.text import Language, Text
from rankscope.store.state import State

FINISHED = frozenset({CaptureState.REPORTED, CaptureState.FAILED})


def job_lock(state: State, job_id: str) -> AbstractContextManager[Lock]:
    """Hold a job's lock, so that events, commands, clicks and stages take turns."""
    return state.lock(f"job:{job_id}")


def flight(job_id: str) -> str:
    """Return the name of the claim that holds the print id of the job's running capture."""
    return f"capture:{job_id}"


def known_job(state: State, job_id: str) -> Job | None:
    """Return a job that an event or an agent has named, or None."""
    return state.find(Job, job_id) or (Job(id=job_id) if state.nodes_of(job_id) else None)


def running_capture(state: State, job_id: str) -> CaptureRecord | None:
    """Return the record of the capture that runs for a job, or None."""
    holder = state.holder(flight(job_id))
    record = state.find(CaptureRecord, holder) if holder else None
    return None if record is None or record.state in FINISHED else record


def open_incident(state: State, job_id: str) -> Incident | None:
    """Return the open incident of a job, or None."""
    incident_id = state.open_incident(job_id)
    incident = state.find(Incident, incident_id) if incident_id else None
    return None if incident is None or incident.state.is_final else incident


def enter(incident: Incident, new: IncidentState) -> Incident:
    """Return the incident in a state; only a new one is a new revision for people to see."""
    if incident.state is new:
        return incident
    return replace(incident, state=new, revision=incident.revision + 1)


def change_incident(
    state: State, incident_id: str, edit: Callable[[Incident], Incident]
) -> Incident:
    """Change an incident and show it on its card."""
    incident = state.change(Incident, incident_id, edit)
    show_card(state, incident)
    return incident


def close_incident(
    state: State,
    incident: Incident,
    final: IncidentState,
    text: Text | None,
    language: Language,
    *,
    edit: Callable[[Incident], Incident] = lambda incident: incident,
) -> None:
    """Put an incident into a final state, retire its buttons, and say why below its card.

    Without a text nothing is said. edit is done in the same step.
    """
    change_incident(state, incident.id, lambda i: i if i.state.is_final else edit(enter(i, final)))
    state.clear_open_incident(incident.job_id, incident.id)
    if text is not None:
        reply_in_thread(state, incident, final.value, text, language)
