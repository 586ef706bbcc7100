"""A pressed button; the bot has checked it and shown a toast, so only surprises are answered."""

from rankscope.chat import toasts
from rankscope.chat.durations import parse_duration
from rankscope.incidents import Ask, Started, acknowledge, request_capture
from rankscope.incidents.audit import note_deed
from rankscope.incidents.outbox import reply_in_thread, show_card
from rankscope.incidents.silence import acted
from rankscope.model.capture import Trigger
from rankscope.model.chat import Click
from rankscope.model.state import CaptureRecord, CaptureState, Deed, Incident
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from workers.acts import outcome_text, outcome_word, silence
from workers.context import Context
from workers.people import learn_name

ACKNOWLEDGE = "ack"
BUNDLE = "bundle"
COMPARE = "compare"
RECAPTURE = "recapture"
SILENCE = "silence"

NOT_POSSIBLE = "not-possible"
NOTHING_DONE = frozenset({NOT_POSSIBLE, "joined", "too-soon"})


def handle_click(context: Context, click: Click) -> None:
    """Do what a button asks for, and put it on record; raises NotFound when all has expired."""
    incident = context.state.load(Incident, click.incident_id)
    if incident.state.is_final and click.action != BUNDLE:
        _say(context, incident, click, toasts.final(incident.state))
        outcome = NOT_POSSIBLE
    else:
        outcome = _ACTS[click.action](context, incident, click)
    if outcome in NOTHING_DONE:
        # The answer to the click may have shown what was expected to happen.
        show_card(context.state, incident)
    deed = Deed(
        who=click.operator,
        what=_what(click),
        job_id=incident.job_id,
        outcome=outcome,
        chat_id=click.chat_id,
    )
    note_deed(context.state, deed, once=f"click-{click.event_id}")
    learn_name(context, click.operator)


def _what(click: Click) -> str:
    return "unsilence" if (click.action, click.option) == (SILENCE, "off") else click.action


def _say(context: Context, incident: Incident, click: Click, text: Text) -> None:
    what = f"{click.action}-r{click.revision}"
    reply_in_thread(context.state, incident, what, text, context.settings.language)


def _recapture(context: Context, incident: Incident, click: Click) -> str:
    ask = Ask(
        job_id=incident.job_id,
        trigger=Trigger.RECAPTURE,
        request_id=f"click-{click.incident_id}-{click.action}-r{click.revision}",
        chat_id=incident.chat_id,
        by=click.operator,
        action=RECAPTURE,
        cooldown_s=context.settings.recapture_cooldown_s,
    )
    outcome = request_capture(context.state, ask)
    if not isinstance(outcome, Started):
        _say(context, incident, click, outcome_text(outcome, incident.job_id))
    return outcome_word(outcome)


def _compare(context: Context, incident: Incident, click: Click) -> str:
    finished = [one for one in incident.captures if _is_reported(context, one)]
    chosen = [click.form[name] for name in ("before", "after") if name in click.form]
    pair = sorted(set(chosen) & set(finished)) if chosen else finished[-2:]
    if len(pair) < 2:
        _say(context, incident, click, toasts.one_capture())
        return NOT_POSSIBLE
    before, after = pair
    unique_id = f"compare-{incident.id}-{before}-{after}-r{click.revision}"
    submit(context.redis, Task.COMPARE, incident.id, before, after, unique_id=unique_id)
    _show(context, incident, click)
    return "started"


def _show(context: Context, incident: Incident, click: Click) -> None:
    """Show on the card who did what last."""

    def edit(current: Incident) -> Incident:
        return acted(current, click.operator, click.action)

    show_card(context.state, context.state.change(Incident, incident.id, edit))


def _is_reported(context: Context, print_id: str) -> bool:
    record = context.state.find(CaptureRecord, print_id)
    return record is not None and record.state is CaptureState.REPORTED


def _acknowledge(context: Context, incident: Incident, click: Click) -> str:
    taken = acknowledge(context.state, incident.id, click.operator)
    return "done" if taken.acked_by == click.operator else NOT_POSSIBLE


def _silence(context: Context, incident: Incident, click: Click) -> str:
    seconds = parse_duration(click.option)
    outcome, _ = silence(context, click.operator, incident.job_id, seconds)
    return outcome


def _bundle(context: Context, incident: Incident, click: Click) -> str:
    finished = [one for one in incident.captures if _is_reported(context, one)]
    if not finished:
        _say(context, incident, click, toasts.no_report())
        return NOT_POSSIBLE
    request = f"r{click.revision}"
    submit(
        context.redis, Task.BUNDLE, incident.id, finished[-1], request,
        unique_id=f"bundle-{incident.id}-{request}",
    )  # fmt: skip
    if not incident.state.is_final:
        _show(context, incident, click)
    return "started"


_ACTS = {
    ACKNOWLEDGE: _acknowledge,
    BUNDLE: _bundle,
    COMPARE: _compare,
    RECAPTURE: _recapture,
    SILENCE: _silence,
}
