"""When nobody acknowledges: people are buzzed step by step, until somebody does or it is over.

A step is due so many minutes after the alert; the workers' minute tick looks for it. An incident
that becomes graver, or whose trouble comes back, begins anew with its first step.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rankscope.incidents.silence import silence_of
from rankscope.model.state import Incident
from rankscope.routing.model import Step
from rankscope.store.state import State, record_key


@dataclass(frozen=True, slots=True)
class Stage:
    """One step as it was in the routes file when the alert came; people are words of the file."""

    after_s: float
    people: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """How far an incident's escalation is; its id is the incident's.

    turn changes when the escalation begins anew, since is when it did (seconds since the epoch),
    done counts the steps taken.
    """

    id: str
    turn: str
    since: float
    stages: tuple[Stage, ...]
    done: int = 0
    over: bool = False


def start_escalation(state: State, incident: Incident, steps: Sequence[Step]) -> None:
    """Begin the escalation of an incident, once for every kind of trouble and relapse."""
    turn = f"{incident.kind.value}-{incident.flaps}"
    known = state.find(Escalation, incident.id)
    if not steps or (known is not None and known.turn == turn):
        return
    stages = tuple(Stage(60.0 * step.after_min, step.people) for step in steps)
    state.save(Escalation(id=incident.id, turn=turn, since=time.time(), stages=stages))


def forget_escalation(state: State, incident_id: str) -> None:
    """Let the next alert of an incident begin its escalation anew."""
    state.redis.delete(record_key(Escalation, incident_id))


def due_stage(state: State, escalation: Escalation) -> Stage | None:
    """Return the step whose time has come; an escalation that nobody needs any more is ended."""
    if escalation.over or escalation.done >= len(escalation.stages):
        return None
    incident = state.find(Incident, escalation.id)
    if incident is None or _is_answered(state, incident):
        state.change(Escalation, escalation.id, lambda one: replace(one, over=True))
        return None
    stage = escalation.stages[escalation.done]
    return stage if time.time() >= escalation.since + stage.after_s else None


def _is_answered(state: State, incident: Incident) -> bool:
    """Whether somebody takes care, has silenced the job, or the trouble is over."""
    is_silent = silence_of(state, incident.job_id) is not None
    return bool(incident.acked_by) or incident.state.is_final or is_silent


def took_step(state: State, escalation: Escalation) -> None:
    """Count a step as taken, unless the escalation has begun anew meanwhile."""

    def edit(one: Escalation) -> Escalation:
        is_same = (one.turn, one.done) == (escalation.turn, escalation.done)
        return replace(one, done=one.done + 1) if is_same else one

    state.change(Escalation, escalation.id, edit)
