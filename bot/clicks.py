"""A pressed button: is it still good, and if so, enqueue what it asks for; all in milliseconds."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from bot.click_cards import Draw, held_card
from bot.toasts import Kind
from rankscope.chat import toasts
from rankscope.chat.durations import CHOICES, OFF
from rankscope.chat.roles import may_act
from rankscope.incidents.audit import note_deed
from rankscope.incidents.outbox import show_card
from rankscope.incidents.people import name_of
from rankscope.incidents.requests import cooldown_left
from rankscope.incidents.silence import silence_of
from rankscope.model.chat import Click
from rankscope.model.state import CaptureRecord, CaptureState, Deed, Incident, Job
from rankscope.model.text import Text
from rankscope.queueing import Task, submit, submitted
from rankscope.settings import Settings
from rankscope.store.state import State

RECAPTURE = "recapture"
COMPARE = "compare"
ACKNOWLEDGE = "ack"
SILENCE = "silence"
BUNDLE = "bundle"
FORESEEN = frozenset({RECAPTURE, ACKNOWLEDGE, SILENCE})
"""After these the new state is known at once, so that the answer shows it."""
ACTIONS = frozenset({RECAPTURE, COMPARE, ACKNOWLEDGE, SILENCE, BUNDLE})

Refusal = tuple[Kind, Text]

_DAY_S = 86_400


def _no_card() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Answer:
    """A toast, and how to draw the card that comes with it; that may take longer than the toast."""

    kind: Kind
    text: Text
    draw: Draw = _no_card


@dataclass(frozen=True, slots=True)
class _Press:
    """A click on a known incident, and what it takes to judge it."""

    state: State
    settings: Settings
    incident: Incident
    click: Click

    @property
    def action(self) -> str:
        return self.click.action

    @property
    def unique_id(self) -> str:
        """The id that equal clicks share, so that the first wins."""
        return f"click-{self.click.incident_id}-{self.action}{self._choice}-r{self.click.revision}"

    @property
    def _choice(self) -> str:
        if self.action == COMPARE and self.click.form:
            return "".join(f"-{print_id}" for print_id in pair_of(self.click))
        if self.action != SILENCE:
            return ""
        # A silence may be chosen again once it has changed, though the card's revision has not.
        silence = silence_of(self.state, self.incident.job_id)
        return f"-{self.click.option}-{int(silence.at * 1000) if silence else 0}"

    def named(self, open_id: str) -> str:
        """Return how to call a person in a toast."""
        return name_of(self.state, open_id)


Check = Callable[[_Press], Refusal | None]


def answer_click(state: State, click: Click | None, settings: Settings) -> Answer:
    """Return the answer to a click, after enqueuing its work when it is good."""
    if click is None or not _is_known(click):
        return Answer("warning", toasts.unknown_button())
    incident = state.find(Incident, click.incident_id)
    if incident is None:
        return Answer("warning", toasts.expired(state.ttl // _DAY_S))
    press = _Press(state, settings, incident, click)
    for check in _CHECKS:
        refusal = check(press)
        if refusal is not None:
            return Answer(*refusal, _current_card(press) if check in _OUTDATED else _no_card)
    return _enqueue(press)


def _is_known(click: Click) -> bool:
    chosen = click.action != SILENCE or click.option in {*CHOICES, OFF}
    return click.action in ACTIONS and chosen


def pair_of(click: Click) -> tuple[str, ...]:
    """Return the two captures chosen beside the button, empty when the last two are meant."""
    return (click.form.get("before", ""), click.form.get("after", "")) if click.form else ()


def _final(press: _Press) -> Refusal | None:
    final = press.incident.state.is_final and press.action != BUNDLE
    return ("info", toasts.final(press.incident.state)) if final else None


def _refused(press: _Press) -> Refusal | None:
    click = press.click
    if may_act(press.settings, click.operator, click.chat_id):
        return None
    job = press.state.find(Job, press.incident.job_id)
    if may_act(press.settings, click.operator, click.chat_id, job.owner if job else ""):
        return None
    deed = Deed(
        who=click.operator,
        what=click.action,
        job_id=press.incident.job_id,
        outcome="refused",
        chat_id=click.chat_id,
    )
    note_deed(press.state, deed, once=f"click-{click.event_id}")
    return "warning", toasts.refused(click.action)


def _running(press: _Press) -> Refusal | None:
    """Answer before `_stale` does: that a capture runs is what the person wants to know."""
    holder = press.state.holder(f"capture:{press.incident.job_id}")
    if press.action != RECAPTURE or not holder:
        return None
    record = press.state.find(CaptureRecord, holder)
    if record is None:
        return "info", toasts.running(who=_first(press))
    who = press.named(record.requested_by)
    return "info", toasts.running(record.nodes_done, record.nodes_asked, who)


def _repeated(press: _Press) -> Refusal | None:
    """Answer before `_stale` does: who pressed a moment later hears who was first."""
    who = _first(press)
    return ("info", toasts.already_requested(who)) if who else None


def _stale(press: _Press) -> Refusal | None:
    outdated = press.click.revision != press.incident.revision
    return ("warning", toasts.stale()) if outdated else None


def _acked(press: _Press) -> Refusal | None:
    if press.action != ACKNOWLEDGE or not press.incident.acked_by:
        return None
    return "info", toasts.already_acked(press.named(press.incident.acked_by))


def _not_comparable(press: _Press) -> Refusal | None:
    captures = press.incident.captures
    if press.action != COMPARE:
        return None
    if len(captures) < 2:
        return "info", toasts.one_capture()
    pair = pair_of(press.click)
    if pair and not set(pair) <= set(captures):
        return "warning", toasts.unknown_button()
    return ("info", toasts.same_captures()) if pair and len(set(pair)) < 2 else None


def _too_soon(press: _Press) -> Refusal | None:
    if press.action != RECAPTURE or not press.incident.captures:
        return None
    latest = press.state.find(CaptureRecord, press.incident.captures[-1])
    wait_s = cooldown_left(latest, press.settings.recapture_cooldown_s)
    return ("info", toasts.too_soon(wait_s)) if wait_s > 0 else None


def _not_silenced(press: _Press) -> Refusal | None:
    wants_off = press.action == SILENCE and press.click.option == OFF
    if not wants_off or silence_of(press.state, press.incident.job_id):
        return None
    return "info", toasts.not_silenced()


def _no_report(press: _Press) -> Refusal | None:
    if press.action != BUNDLE:
        return None
    records = (press.state.find(CaptureRecord, one) for one in press.incident.captures)
    if any(record and record.state is CaptureState.REPORTED for record in records):
        return None
    return "info", toasts.no_report()


_OUTDATED: frozenset[Check] = frozenset({_final, _stale})
_CHECKS: tuple[Check, ...] = (
    _final,
    _refused,
    _running,
    _repeated,
    _stale,
    _acked,
    _not_comparable,
    _too_soon,
    _not_silenced,
    _no_report,
)


def _first(press: _Press) -> str:
    """Return who pressed the same button of the same card first, empty when nobody did."""
    arguments = submitted(press.state.redis, press.unique_id)
    first = arguments[0] if arguments else None
    return press.named(str(first.get("operator", ""))) if isinstance(first, dict) else ""


def _enqueue(press: _Press) -> Answer:
    arguments = msgspec.to_builtins(press.click)
    redis, unique_id = press.state.redis, press.unique_id
    # Held before a worker can know of the click, and send what comes of it.
    shows = press.action in FORESEEN
    card = held_card(press.state, press.settings, press.incident, press.click) if shows else None
    if not submit(redis, Task.HANDLE_CLICK, arguments, unique_id=unique_id):
        return Answer("info", toasts.already_requested(_first(press)))
    return Answer("success", _confirmation(press.click), card.draw if card else _no_card)


def _current_card(press: _Press) -> Draw:
    """Return how to draw what an outdated card should show; the outbox sends it, too."""
    card = held_card(press.state, press.settings, press.incident, press.click)
    if card is None:
        return _no_card
    show_card(press.state, press.incident)
    return card.draw_now


def _confirmation(click: Click) -> Text:
    if click.action == SILENCE:
        return toasts.silenced(click.option)
    return {
        RECAPTURE: toasts.capturing,
        COMPARE: toasts.comparing,
        ACKNOWLEDGE: toasts.acknowledged,
        BUNDLE: toasts.bundling,
    }[click.action]()
