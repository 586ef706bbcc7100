"""A pressed button; the bot has checked it and shown a toast, so only surprises are answered."""

from dataclasses import replace

from rankscope.chat import toasts
from rankscope.incidents import Ask, Started, request_capture
from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.model.capture import Trigger
from rankscope.model.chat import Click
from rankscope.model.state import CaptureRecord, CaptureState, Incident
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from workers.acts import outcome_text
from workers.context import Context

COMPARE = "compare"
RECAPTURE = "recapture"


def handle_click(context: Context, click: Click) -> None:
    """Start a capture or a comparison; raises NotFound when the incident has expired."""
    incident = context.state.load(Incident, click.incident_id)
    if incident.state.is_final:
        _say(context, incident, click, toasts.final(incident.state))
    elif click.action == COMPARE:
        _compare(context, incident, click)
    elif click.action == RECAPTURE:
        _recapture(context, incident, click)


def _say(context: Context, incident: Incident, click: Click, text: Text) -> None:
    what = f"{click.action}-r{click.revision}"
    reply_in_thread(context.state, incident, what, text, context.settings.language)


def _recapture(context: Context, incident: Incident, click: Click) -> None:
    ask = Ask(
        job_id=incident.job_id,
        trigger=Trigger.RECAPTURE,
        request_id=f"click-{click.incident_id}-{click.action}-r{click.revision}",
        chat_id=incident.chat_id,
        by=click.operator,
        action=RECAPTURE,
    )
    outcome = request_capture(context.state, ask)
    if not isinstance(outcome, Started):
        _say(context, incident, click, outcome_text(outcome, incident.job_id))


def _compare(context: Context, incident: Incident, click: Click) -> None:
    finished = [one for one in incident.captures if _is_reported(context, one)]
    if len(finished) < 2:
        _say(context, incident, click, toasts.one_capture())
        return
    before, after = finished[-2:]
    unique_id = f"compare-{incident.id}-{before}-{after}-r{click.revision}"
    submit(context.redis, Task.COMPARE, incident.id, before, after, unique_id=unique_id)

    def edit(current: Incident) -> Incident:
        return replace(current, last_actor=click.operator, last_action=COMPARE)

    show_card(context.state, context.state.change(Incident, incident.id, edit))


def _is_reported(context: Context, print_id: str) -> bool:
    record = context.state.find(CaptureRecord, print_id)
    return record is not None and record.state is CaptureState.REPORTED
