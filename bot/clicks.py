"""A pressed button: is it still good, and if so, enqueue what it asks for; all in milliseconds."""

from collections.abc import Callable

import msgspec

from bot.toasts import Kind
from rankscope.chat import toasts
from rankscope.model.chat import Click
from rankscope.model.state import CaptureRecord, Incident
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from rankscope.store.state import State

RECAPTURE = "recapture"
COMPARE = "compare"

Answer = tuple[Kind, Text]
Check = Callable[[State, Incident, Click], Answer | None]

_DAY_S = 86_400


def answer_click(state: State, click: Click | None) -> Answer:
    """Return the toast for a click, after enqueuing its work when it is good."""
    if click is None or click.action not in {RECAPTURE, COMPARE}:
        return "warning", toasts.unknown_button()
    incident = state.find(Incident, click.incident_id)
    if incident is None:
        return "warning", toasts.expired(state.ttl // _DAY_S)
    for check in _CHECKS:
        refusal = check(state, incident, click)
        if refusal is not None:
            return refusal
    return _enqueue(state, click)


def _final(_: State, incident: Incident, __: Click) -> Answer | None:
    return ("info", toasts.final(incident.state)) if incident.state.is_final else None


def _running(state: State, incident: Incident, click: Click) -> Answer | None:
    """Answer before `_stale` does: that a capture runs is what the person wants to know."""
    holder = state.holder(f"capture:{incident.job_id}")
    if click.action != RECAPTURE or not holder:
        return None
    record = state.find(CaptureRecord, holder)
    done, asked = (record.nodes_done, record.nodes_asked) if record else (0, 0)
    return "info", toasts.running(done, asked)


def _stale(_: State, incident: Incident, click: Click) -> Answer | None:
    return ("warning", toasts.stale()) if click.revision != incident.revision else None


def _one_capture(_: State, incident: Incident, click: Click) -> Answer | None:
    if click.action == COMPARE and len(incident.captures) < 2:
        return "info", toasts.one_capture()
    return None


_CHECKS: tuple[Check, ...] = (_final, _running, _stale, _one_capture)


def _enqueue(state: State, click: Click) -> Answer:
    unique_id = f"click-{click.incident_id}-{click.action}-r{click.revision}"
    arguments = msgspec.to_builtins(click)
    if not submit(state.redis, Task.HANDLE_CLICK, arguments, unique_id=unique_id):
        return "info", toasts.already_requested()
    return "success", toasts.capturing() if click.action == RECAPTURE else toasts.comparing()
