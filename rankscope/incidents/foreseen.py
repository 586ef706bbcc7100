"""What a card will show once a click has been acted on; pure.

The answer to a click may carry the card. What it shows is only foreseen: the click is recorded, a
worker does what it asks for, and the outbox then sends what came of it.
"""

from dataclasses import replace

from rankscope.cards.view import IncidentView
from rankscope.chat.durations import parse_duration
from rankscope.incidents.acknowledge import ACKNOWLEDGE
from rankscope.incidents.silence import UNTIL_END, acted
from rankscope.model.capture import Trigger
from rankscope.model.chat import Click
from rankscope.model.state import CaptureRecord, IncidentState, Silence

RECAPTURE = "recapture"
SILENCE = "silence"


def foreseen(view: IncidentView, click: Click, now: float) -> IncidentView | None:
    """Return what the card will show, None where that is not known yet; now is in epoch seconds."""
    if click.action == ACKNOWLEDGE:
        return _acknowledged(view, click, now)
    if click.action == SILENCE:
        return _silenced(view, click, now)
    if click.action == RECAPTURE and _can_be_captured(view):
        return _capturing(view, click, now)
    return None


def _acknowledged(view: IncidentView, click: Click, now: float) -> IncidentView:
    taken = acted(view.incident, click.operator, ACKNOWLEDGE)
    return replace(view, incident=replace(taken, acked_by=click.operator, acked_at=now))


def _silenced(view: IncidentView, click: Click, now: float) -> IncidentView:
    seconds = parse_duration(click.option)
    action = "unsilence" if seconds is None else SILENCE
    until = now + seconds if seconds else UNTIL_END
    made = Silence(id=view.incident.job_id, until=until, by=click.operator, at=now)
    return replace(
        view,
        incident=acted(view.incident, click.operator, action),
        silence=None if seconds is None else made,
    )


def _can_be_captured(view: IncidentView) -> bool:
    return view.job is None or view.job.state.can_be_captured


def _capturing(view: IncidentView, click: Click, now: float) -> IncidentView:
    """Return the view with one more capture, which has no print id yet that anybody could see."""
    asked = CaptureRecord(
        id="",
        job_id=view.incident.job_id,
        incident_id=view.incident.id,
        trigger=Trigger.RECAPTURE,
        requested_at=now,
        requested_by=click.operator,
    )
    incident = replace(
        acted(view.incident, click.operator, RECAPTURE),
        state=IncidentState.CAPTURING,
        revision=view.incident.revision + 1,
        captures=(*view.incident.captures, asked.id),
    )
    return replace(view, incident=incident, capture=asked)
