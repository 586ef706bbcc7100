"""The outbox: cards that are updated in place, and replies that are sent once.

Recording a message and submitting its delivery are two steps; a message whose delivery was not
submitted is found by the reconciler, since `sent` is then less than `wanted`.
"""

import hashlib
import re
from dataclasses import replace
from datetime import timedelta

from rankscope.incidents.language import language_of
from rankscope.model.state import Incident, Outgoing
from rankscope.model.text import Language, Text
from rankscope.queueing import Task, submit
from rankscope.store.state import State

REMEMBERED = timedelta(hours=1)
"""Deliveries are many and harmless to repeat, so that their RQ jobs are forgotten soon."""

SHORT_LINES = 12
SHORT_LETTERS = 1200
"""What a phone shows on one screen; a longer answer would push the talk out of sight."""


def uuid_of(name: str) -> str:
    """Return the uuid that makes Feishu send a message once; it takes at most 50 characters."""
    return hashlib.sha256(name.encode()).hexdigest()[:40]


def show_card(state: State, incident: Incident) -> None:
    """Ask for an incident's cards to be sent, or brought up to date where there are any."""
    for card_id, chat_id in cards_of(incident).items():
        entry = Outgoing(
            id=card_id,
            uuid=uuid_of(card_id),
            chat_id=chat_id,
            incident_id=incident.id,
            msg_type="interactive",
        )
        if not state.create(entry):
            entry = state.change(Outgoing, card_id, lambda o: replace(o, wanted=o.wanted + 1))
        submit_delivery(state, entry)


def cards_of(incident: Incident) -> dict[str, str]:
    """Return the chats of an incident's cards by their ids in the outbox, its own chat first."""
    copies = {f"{incident.id}@{chat_id}": chat_id for chat_id in incident.copies}
    return {incident.id: incident.chat_id, **copies}


def reply_in_thread(
    state: State, incident: Incident, what: str, text: Text, language: Language
) -> None:
    """Say something below an incident's cards, once per `what`: an update in place is silent.

    It is said in the language of each card's chat, else in the given one.
    """
    for chat_id in cards_of(incident).values():
        send_once(state, reply_below(state, incident, chat_id, what, text, language))


def reply_below(
    state: State, incident: Incident, chat_id: str, what: str, text: Text, language: Language
) -> Outgoing:
    """Return a reply below the incident's card in one of its chats."""
    card_id = next(card for card, chat in cards_of(incident).items() if chat == chat_id)
    entry_id = f"{card_id}:{what}"
    told = language_of(state, replace(incident, chat_id=chat_id), language)
    return Outgoing(
        id=entry_id,
        uuid=uuid_of(entry_id),
        chat_id=chat_id,
        reply_to=f"outgoing:{card_id}",
        content={"text": text.of(told)},
    )


def reply_to_message(
    state: State, message_id: str, what: str, text: Text, language: Language
) -> None:
    """Answer a person's message, once per `what`; a long answer goes into a thread."""
    entry_id = f"command:{message_id}{what and ':'}{what}"
    said = text.of(language)
    reply = Outgoing(
        id=entry_id,
        uuid=uuid_of(entry_id),
        reply_to=message_id,
        in_thread=said.count("\n") > SHORT_LINES or len(said) > SHORT_LETTERS,
        content={"text": said},
    )
    send_once(state, reply)


def send_once(state: State, entry: Outgoing) -> None:
    """Record a message unless it is recorded, and have it delivered."""
    state.create(entry)
    submit_delivery(state, entry)


def submit_delivery(state: State, entry: Outgoing, suffix: str = "") -> None:
    """Have a message delivered; RQ allows only letters, digits, dashes and underscores in an id."""
    unique_id = re.sub(r"[^A-Za-z0-9_-]", "_", f"deliver-{entry.id}-{entry.wanted}{suffix}")
    submit(state.redis, Task.DELIVER, entry.id, unique_id=unique_id, remember=REMEMBERED)
