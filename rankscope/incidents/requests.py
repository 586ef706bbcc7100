"""Somebody or something asks for a capture: it is started, joined, or refused with the reason."""

import time
from dataclasses import dataclass, replace

from rankscope.incidents.captures import latest_capture, remember_capture
from rankscope.incidents.outbox import show_card, submit_delivery
from rankscope.incidents.outcomes import (
    Joined,
    NoNodes,
    NotRunning,
    Outcome,
    Started,
    TooSoon,
    UnknownJob,
)
from rankscope.incidents.records import (
    enter,
    flight,
    job_lock,
    known_job,
    open_incident,
    running_capture,
)
from rankscope.incidents.targets import targets_of
from rankscope.model.capture import Trigger
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.slowness import Slowness
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Outgoing,
)
from rankscope.model.text import Language
from rankscope.queueing import Task, submit
from rankscope.routing.match import NO_ROUTE, Plan
from rankscope.store.state import State

CLAIM_S = 1800.0
"""Longer than a capture with all its retries; the reconciler ends what takes longer."""
MANUAL_KEPT_S = 3600.0
"""After an hour a new command gets a card of its own, as nobody looks at the old one any more."""

_WEIGHT = {Trigger.HANG: 3, Trigger.SLOW: 2, Trigger.FAILED: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A wish for a capture; request_id is the same when the same wish is handled again.

    chat_id is where a new card would go. by is the open_id of a person, empty for an event, and
    message_id the message that asked. samples is 0 for as many as the settings say; native names
    ranks whose native frames are wanted. compare_with is an earlier capture to compare with.
    cooldown_s is how long after the job's last capture a person has to wait. event, diagnosis and
    slow are what the card is to show of the event behind the wish, plan is what the routes file
    says of it.
    """

    job_id: str
    trigger: Trigger
    request_id: str
    chat_id: str
    by: str = ""
    action: str = ""
    message: str = ""
    message_id: str = ""
    samples: int = 0
    native: tuple[int, ...] = ()
    compare_with: str = ""
    cooldown_s: float = 0.0
    event: str = ""
    diagnosis: Diagnosis | None = None
    slow: Slowness | None = None
    plan: Plan = NO_ROUTE

    @property
    def copies(self) -> tuple[str, ...]:
        """The further chats that are to hear."""
        return tuple(one.chat_id for one in self.plan.places if one.chat_id != self.chat_id)

    @property
    def languages(self) -> dict[str, Language]:
        """What the routes file says of the language of its chats."""
        return {one.chat_id: one.language for one in self.plan.places if one.language}


def request_capture(state: State, ask: Ask) -> Outcome:
    """Start a capture in the job's open incident, or in a new one; a job has one at a time."""
    with job_lock(state, ask.job_id):
        return request_locked(state, ask)


def request_locked(state: State, ask: Ask) -> Outcome:
    """Do what request_capture does while the caller holds the job's lock."""
    print_id = state.new_print_id(ask.request_id)
    record = state.find(CaptureRecord, print_id)
    if record is not None:
        return _submit(state, record)
    refusal = _refusal(state, ask)
    if refusal is not None:
        return refusal
    state.release(flight(ask.job_id), state.holder(flight(ask.job_id)))
    state.claim(flight(ask.job_id), print_id, CLAIM_S)
    incident = join_incident(state, ask, print_id, IncidentState.CAPTURING)
    record = CaptureRecord(
        id=print_id,
        job_id=ask.job_id,
        incident_id=incident.id,
        trigger=ask.trigger,
        requested_at=time.time(),
        requested_by=ask.by,
        answer_to=ask.message_id if ask.chat_id != incident.chat_id else "",
        samples=ask.samples,
        native=ask.native,
        compare_with=ask.compare_with,
    )
    remember_capture(state, record)
    return _submit(state, record)


def _refusal(state: State, ask: Ask) -> Outcome | None:
    job = known_job(state, ask.job_id)
    if job is None:
        return UnknownJob(ask.job_id)
    if not job.state.can_be_captured:
        return NotRunning(job)
    running = running_capture(state, ask.job_id)
    if running is not None:
        return Joined(running.id, running.nodes_done, running.nodes_asked)
    if not any(target.endpoint for target in targets_of(state, job)):
        return NoNodes(ask.job_id)
    wait_s = cooldown_left(latest_capture(state, ask.job_id), ask.cooldown_s) if ask.by else 0.0
    return TooSoon(ask.job_id, wait_s) if wait_s > 0 else None


def cooldown_left(latest: CaptureRecord | None, cooldown_s: float) -> float:
    """Return for how many seconds no person may capture again; a failed capture does not count."""
    if latest is None or latest.state is CaptureState.FAILED:
        return 0.0
    return max(0.0, latest.requested_at + cooldown_s - time.time())


def _submit(state: State, record: CaptureRecord) -> Started:
    submit(state.redis, Task.CAPTURE, record.id, unique_id=f"capture-{record.id}")
    card = state.find(Outgoing, record.incident_id)
    if card is not None and card.sent < card.wanted:
        submit_delivery(state, card)
    return Started(record.id, record.incident_id)


def join_incident(state: State, ask: Ask, print_id: str, new: IncidentState) -> Incident:
    """Open an incident, or join the open one, and show it; new is the state it is to have.

    With CAPTURING, print_id becomes the incident's latest capture. Without a capture, joining
    changes no state.
    """
    captures = (print_id,) if new is IncidentState.CAPTURING else ()
    current = open_incident(state, ask.job_id)
    if current is not None and _is_outlived(current, ask):
        closed = state.change(Incident, current.id, lambda i: enter(i, IncidentState.CLOSED))
        state.clear_open_incident(ask.job_id, current.id)
        show_card(state, closed)
        current = None
    if current is None:
        incident = new_incident(ask, print_id, new, captures)
        state.save(incident)
        state.clear_open_incident(ask.job_id, state.open_incident(ask.job_id))
        state.set_open_incident(ask.job_id, incident.id)
    else:
        incident = state.change(Incident, current.id, lambda i: _joined(i, ask, captures))
    show_card(state, incident)
    return incident


def new_incident(
    ask: Ask, print_id: str, new: IncidentState, captures: tuple[str, ...] = ()
) -> Incident:
    """Return the incident that a wish opens; it is not recorded yet."""
    return Incident(
        id=f"in-{print_id}",
        job_id=ask.job_id,
        kind=ask.trigger,
        chat_id=ask.chat_id,
        opened_at=time.time(),
        state=new,
        captures=captures,
        message=ask.message,
        last_actor=ask.by,
        last_action=ask.action,
        last_at=time.time(),
        event=ask.event,
        diagnosis=ask.diagnosis,
        slow=ask.slow,
        route=", ".join(ask.plan.routes),
        copies=ask.copies,
        languages=ask.languages,
    )


def _is_outlived(current: Incident, ask: Ask) -> bool:
    """Whether a new card is due: an alert must not hide in the silent update of an old card."""
    if weight(current.kind) or current.state is IncidentState.CAPTURING:
        return False
    is_old = time.time() - current.opened_at > MANUAL_KEPT_S
    return bool(weight(ask.trigger)) or (is_old and ask.trigger is Trigger.MANUAL)


def weight(kind: Trigger) -> int:
    """Return how much a kind of incident alarms; what a person asked for does not."""
    return _WEIGHT.get(kind, 0)


def _joined(incident: Incident, ask: Ask, captures: tuple[str, ...]) -> Incident:
    fresh = tuple(print_id for print_id in captures if print_id not in incident.captures)
    joined = replace(
        _heard_by(incident, ask),
        kind=max(incident.kind, ask.trigger, key=weight),
        message=ask.message or incident.message,
        captures=incident.captures + fresh,
        last_actor=ask.by,
        last_action=ask.action,
        last_at=time.time(),
        event=ask.event or incident.event,
        diagnosis=ask.diagnosis or incident.diagnosis,
        slow=ask.slow or incident.slow,
    )
    if not fresh:
        return joined
    return replace(joined, state=IncidentState.CAPTURING, revision=incident.revision + 1)


def _heard_by(incident: Incident, ask: Ask) -> Incident:
    """Return the incident with the chats that a later alert's routes add."""
    fresh = (place.chat_id for place in ask.plan.places)
    known = (incident.chat_id, *incident.copies)
    names = dict.fromkeys(filter(None, (*incident.route.split(", "), *ask.plan.routes)))
    return replace(
        incident,
        copies=(*incident.copies, *(chat for chat in fresh if chat not in known)),
        languages={**ask.languages, **incident.languages},
        route=", ".join(names),
    )
