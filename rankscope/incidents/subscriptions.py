"""Who asked to hear about a job's incidents: people in their private chats, and chats.

A subscription is a chat and a pattern of job ids or names; it is kept until it is taken back. A
chat that has the incident's card hears nothing more.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import cast

from rankscope.chat.wording import lines, plain, plain_text, same, told
from rankscope.incidents.language import language_in
from rankscope.incidents.outbox import cards_of, submit_delivery, uuid_of
from rankscope.incidents.requests import weight
from rankscope.links import chat_link, page_link
from rankscope.model.state import CaptureRecord, CaptureState, Incident, Job, Outgoing
from rankscope.model.text import Text
from rankscope.settings import Settings
from rankscope.store.state import PREFIX, State
from rankscope.text import say

KEY = f"{PREFIX}:subscriptions"
MOST = 20
"""Subscriptions of one chat."""


@dataclass(frozen=True, slots=True, order=True)
class Subscription:
    """A chat that hears about the jobs whose id or name a pattern fits."""

    chat_id: str
    pattern: str

    def fits(self, job: Job) -> bool:
        """Whether the pattern fits a job, upper and lower case alike."""
        wanted = self.pattern.casefold()
        return any(fnmatchcase(one.casefold(), wanted) for one in (job.id, job.name) if one)


def subscriptions(state: State, chat_id: str = "") -> list[Subscription]:
    """Return all subscriptions, or those of one chat."""
    raw = cast("set[bytes]", state.redis.smembers(KEY))
    every = (Subscription(*one.decode().split(" ", 1)) for one in raw)
    return sorted(one for one in every if not chat_id or one.chat_id == chat_id)


def subscribe(state: State, wanted: Subscription) -> bool:
    """Remember a subscription; False when the chat has as many as it may have."""
    known = subscriptions(state, wanted.chat_id)
    if wanted not in known and len(known) >= MOST:
        return False
    state.redis.sadd(KEY, _member(wanted))
    return True


def unsubscribe(state: State, unwanted: Subscription) -> bool:
    """Forget a subscription; False when there was none."""
    return bool(state.redis.srem(KEY, _member(unwanted)))


def _member(one: Subscription) -> str:
    return f"{one.chat_id} {one.pattern}"


def tell_opened(state: State, incident: Incident, settings: Settings) -> None:
    """Tell subscribers that an incident began, and at its 1st, 2nd, 4th, 8th … relapse."""
    if weight(incident.kind):
        kind = say(f"incident-kind-{incident.kind.value}")
        job = same(plain(incident.job_id, 130))
        first = told("incident-notice-opened", job=job, kind=kind)
        message = [same(plain(incident.message))] if incident.message else []
        _tell(state, incident, "opened", [first, *message], settings)


def tell_over(state: State, incident: Incident, text: Text, settings: Settings) -> None:
    """Tell subscribers that an incident is over, and why."""
    if weight(incident.kind):
        job = same(plain(incident.job_id, 130))
        first = told("incident-notice-over", job=job, text=plain_text(text))
        _tell(state, incident, "over", [first, *_report(state, incident, settings)], settings)


def _report(state: State, incident: Incident, settings: Settings) -> Iterator[Text]:
    records = [state.find(CaptureRecord, print_id) for print_id in incident.captures]
    done = [one.id for one in records if one and one.state is CaptureState.REPORTED]
    if done and settings.links_key:
        link = page_link(settings.public_url, settings.links_key, done[-1])
        yield say("chat-report-link", link=link)


def _tell(
    state: State, incident: Incident, what: str, said: list[Text], settings: Settings
) -> None:
    if incident.flaps & (incident.flaps - 1):
        return
    job = state.find(Job, incident.job_id) or Job(id=incident.job_id)
    have_card = set(cards_of(incident).values())
    chats = {one.chat_id for one in subscriptions(state) if one.fits(job)} - have_card
    link = chat_link(settings.feishu_domain, incident.chat_id)
    text = lines([*said, say("incident-notice-card", link=link)])
    for chat_id in sorted(chats):
        entry_id = f"notice:{incident.id}:{chat_id}:{what}-{incident.flaps}"
        language = language_in(state, chat_id, settings.language)
        entry = Outgoing(
            id=entry_id,
            uuid=uuid_of(entry_id),
            chat_id=chat_id,
            content={"text": text.of(language)},
        )
        if state.create(entry):  # What a crash leaves unsubmitted the reconciler finds.
            submit_delivery(state, entry)
