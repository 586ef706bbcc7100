"""What the routes file says of an alert, and what follows from it: chats, mentions, escalation."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from rankscope.chat.wording import lines, plain, same, told
from rankscope.incidents.audit import note_deed
from rankscope.incidents.escalation import start_escalation
from rankscope.incidents.outbox import cards_of, reply_below, send_once
from rankscope.incidents.requests import Ask
from rankscope.model.capture import Trigger
from rankscope.model.state import Deed, Incident, Job
from rankscope.model.text import Language, Text
from rankscope.routing.current import current_routes
from rankscope.routing.match import Facts, plan_for
from rankscope.routing.model import Book, Kind
from rankscope.routing.people import people_of
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import say

_KINDS: dict[Trigger, Kind] = {
    Trigger.HANG: "hang",
    Trigger.SLOW: "slow",
    Trigger.FAILED: "failed",
}


def facts_of(job: Job, trigger: Trigger, at: datetime) -> Facts:
    """Return what routes look at; what a person asked for is `manual`."""
    return Facts(
        kind=_KINDS.get(trigger, "manual"),
        job_id=job.id,
        name=job.name,
        owner=job.owner,
        severity=job.severity,
        labels=job.labels,
        at=at,
    )


def routed(state: State, ask: Ask, settings: Settings) -> Ask:
    """Return the wish with what the routes file says; where no route fits, it stays as it is.

    A new card goes to the first chat of the routes, but to where a person asked if one did; no
    route mutes what a person asked for. Whoever calls this for an alert looks at is_muted.
    """
    book = current_routes(state, settings.routes_file).book
    job = state.find(Job, ask.job_id) or Job(id=ask.job_id)
    plan = plan_for(book, facts_of(job, ask.trigger, datetime.now(UTC)))
    if plan.muted and not ask.by:
        return replace(ask, plan=plan)
    if not plan.places:
        return ask
    return replace(ask, plan=plan, chat_id=ask.chat_id if ask.by else plan.places[0].chat_id)


def is_muted(state: State, ask: Ask) -> bool:
    """Whether a route says that nobody hears of this alert, which is then on record."""
    if not ask.plan.muted:
        return False
    who = f"{ask.plan.routes[-1]} ({ask.plan.muted})"
    deed = Deed(who=who, what="mute", job_id=ask.job_id, outcome="done")
    note_deed(state, deed, once=f"muted-{ask.request_id}")
    return True


def follow_route(state: State, incident: Incident, ask: Ask, settings: Settings) -> None:
    """Mention people and start the escalation, each once for every kind of alert."""
    if not ask.plan.routes:
        return
    book = current_routes(state, settings.routes_file).book
    job = state.find(Job, incident.job_id) or Job(id=incident.job_id)
    for place in ask.plan.places:
        people = people_of(book, place.mention, job.owner, datetime.now(UTC))
        if people and place.chat_id in cards_of(incident).values():
            what, text = f"mention-{ask.trigger.value}", _please_look(incident, ask)
            call = Call(incident, place.chat_id, what, people, text)
            call_people(state, call, settings.language)
    start_escalation(state, incident, ask.plan.escalate)


def _please_look(incident: Incident, ask: Ask) -> Text:
    job, kind = same(plain(incident.job_id, 130)), _KINDS.get(ask.trigger, "manual")
    said = [told("incident-mention", job=job, kind=say(f"incident-kind-{kind}"))]
    return lines([*said, say("incident-mention-stop")] if ask.plan.escalate else said)


@dataclass(frozen=True, slots=True)
class Call:
    """People to be mentioned below an incident's card in a chat, once per `what`.

    people come from the routes file, never from what others wrote.
    """

    incident: Incident
    chat_id: str
    what: str
    people: tuple[str, ...]
    text: Text


def call_people(state: State, call: Call, language: Language) -> None:
    """Mention people in a reply, since a mention in an updated card notifies nobody.

    The text goes out without them if Feishu does not know somebody (any more).
    """
    names = "".join(f'<at user_id="{open_id}"></at> ' for open_id in call.people)
    reply = reply_below(state, call.incident, call.chat_id, call.what, call.text, language)
    said = str(reply.content["text"])
    send_once(state, replace(reply, content={"text": names + said}, fallback=said))


def book_of(state: State, settings: Settings) -> Book:
    """Return the routes in force."""
    return current_routes(state, settings.routes_file).book
