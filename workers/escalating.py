"""Takes the steps of an escalation: buzzes people, and mentions them below the card.

Every step is taken once. When Feishu cannot be reached it is tried again at the next minute; when
Feishu refuses to buzz, the mention remains, and the thread says so.
"""

import time
from datetime import UTC, datetime, timedelta

import structlog

from rankscope.chat.wording import lines, plain, same, told
from rankscope.feishu.errors import FeishuRejected, FeishuUnavailable
from rankscope.incidents.audit import note_deed
from rankscope.incidents.escalation import Escalation, Stage, due_stage, took_step
from rankscope.incidents.outbox import cards_of, reply_in_thread
from rankscope.incidents.routes import Call, book_of, call_people
from rankscope.model.state import Deed, Incident, Job, Outgoing
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from rankscope.routing.people import people_of
from rankscope.store.state import Locked
from rankscope.text import say
from workers.context import Context

BOT = "rankscope"
"""Who escalates, in the audit trail."""
LOCK_S = 50.0

_log = structlog.get_logger()


def submit_due(context: Context) -> None:
    """Submit the steps whose time has come; called every minute."""
    for escalation in context.state.all(Escalation):
        if due_stage(context.state, escalation) is not None:
            minute = int(time.time() // 60)
            unique_id = f"escalate-{escalation.id}-{escalation.done}-m{minute}"
            submit(
                context.redis, Task.ESCALATE, escalation.id,
                unique_id=unique_id, remember=timedelta(hours=1),
            )  # fmt: skip


def escalate(context: Context, incident_id: str) -> None:
    """Take an incident's next step if it is still due."""
    try:
        with context.state.lock(f"escalate:{incident_id}", LOCK_S, patience_s=0):
            _escalate(context, incident_id)
    except Locked:
        return


def _escalate(context: Context, incident_id: str) -> None:
    state = context.state
    escalation, incident = state.find(Escalation, incident_id), state.find(Incident, incident_id)
    stage = due_stage(state, escalation) if escalation else None
    if escalation is None or incident is None or stage is None:
        return
    message_id = _card(context, incident)
    if not message_id:
        _log.warning("escalation waits for a card")  # The next minute looks again.
        return
    people = _people(context, incident, stage)
    try:
        outcome, text = _buzz(context, message_id, people)
    except FeishuUnavailable as error:
        _log.warning("escalation put off", error=str(error))
        return
    _say(context, incident, escalation, (people, stage, text))
    deed = Deed(
        who=BOT,
        what="escalate",
        job_id=incident.job_id,
        outcome=outcome,
        chat_id=incident.chat_id,
    )
    note_deed(state, deed, once=f"escalate-{incident.id}-{escalation.turn}-{escalation.done}")
    took_step(state, escalation)
    _log.warning("escalated", step=escalation.done + 1, people=list(people), outcome=outcome)


def _card(context: Context, incident: Incident) -> str:
    """Return the message to be buzzed: the incident's own card, else one of its copies."""
    cards = (context.state.find(Outgoing, card_id) for card_id in cards_of(incident))
    return next((card.message_id for card in cards if card and card.message_id), "")


def _people(context: Context, incident: Incident, stage: Stage) -> tuple[str, ...]:
    """Return whom a step means now; who is on call may have changed since the alert."""
    job = context.state.find(Job, incident.job_id)
    book = book_of(context.state, context.settings)
    return people_of(book, stage.people, job.owner if job else "", datetime.now(UTC))


def _buzz(context: Context, message_id: str, people: tuple[str, ...]) -> tuple[str, Text | None]:
    """Return the outcome for the audit trail, and what to say about a failure."""
    if not people:
        return "not-possible", say("incident-escalate-nobody")
    try:
        missed = context.feishu.buzz(message_id, people)
    except FeishuRejected as error:
        _log.error("buzz refused", error=str(error), code=error.code)
        return "not-possible", say("incident-escalate-refused", reason=plain(str(error)))
    if missed:
        _log.error("people could not be buzzed", people=missed)
        return "not-possible", say("incident-escalate-missed", count=len(missed))
    return "done", None


def _say(
    context: Context,
    incident: Incident,
    escalation: Escalation,
    taken: tuple[tuple[str, ...], Stage, Text | None],
) -> None:
    people, stage, failure = taken
    number, minutes = escalation.done + 1, round(stage.after_s / 60)
    job = same(plain(incident.job_id, 130))
    said = told("incident-escalated", job=job, step=same(number), minutes=same(minutes))
    text = lines([said, failure]) if failure else said
    what = f"escalate-{escalation.turn}-{number}"
    language = context.settings.language
    if people:
        call = Call(incident, incident.chat_id, what, people, text)
        call_people(context.state, call, language)
    else:
        reply_in_thread(context.state, incident, what, text, language)
