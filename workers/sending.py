"""Sends one message: a reply, or the state that an incident's card shows now.

An alert is never lost over its form: a card that Feishu refuses is sent simpler, at last as text.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import structlog

from rankscope.cards import (
    IncidentView,
    escape_markdown,
    fallback_text,
    incident_card,
    note_card,
)
from rankscope.feishu.api import Content
from rankscope.feishu.errors import CardRejected, FeishuRejected, MessageGone
from rankscope.incidents.language import language_of
from rankscope.incidents.outbox import uuid_of
from rankscope.model.state import Incident, Outgoing
from rankscope.model.text import Language
from rankscope.text import say
from workers.context import Context
from workers.showing import view_of

PARENT = "outgoing:"
CARD = "interactive"
TEXT = "text"
INVALID = 230001
"""As when a text mentions somebody whom Feishu does not know."""

_log = structlog.get_logger()


class NotYet(Exception):
    """The message to reply to has not been sent yet."""


def send(context: Context, entry: Outgoing) -> None:
    """Send an entry of the outbox and record how far it is sent.

    Raises FeishuUnavailable or FeishuRejected, and NotYet for a reply to an unsent card.
    """
    if entry.incident_id:
        _send_card(context, entry)
    else:
        message_id = _send_content(context, entry)
        _record(context, entry, lambda known: replace(known, message_id=message_id))


def _record(context: Context, entry: Outgoing, edit: Callable[[Outgoing], Outgoing]) -> None:
    """Record that what was wanted when `entry` was read is sent now."""

    def sent(known: Outgoing) -> Outgoing:
        return replace(edit(known), sent=max(known.sent, entry.wanted), error="")

    context.state.change(Outgoing, entry.id, sent)


# Replies and other content that is sent once.


def _send_content(context: Context, entry: Outgoing) -> str:
    try:
        return _place(context, entry, entry.msg_type, entry.content, entry.uuid)
    except FeishuRejected as error:
        if isinstance(error, MessageGone) and not entry.chat_id:
            _log.warning("the message to answer is gone", error=str(error))
            return ""
        if not entry.fallback or not (isinstance(error, CardRejected) or error.code == INVALID):
            raise
        _log.error("message refused, sending plain text", error=str(error))
        return _place(context, entry, TEXT, {"text": entry.fallback}, f"{entry.uuid}-t")


def _place(context: Context, entry: Outgoing, msg_type: str, content: Content, uuid: str) -> str:
    if not entry.reply_to:
        return context.feishu.create(_chat(context, entry), msg_type, content, uuid)
    parent = _parent(context, entry.reply_to)
    try:
        return context.feishu.reply(parent, msg_type, content, uuid, in_thread=entry.in_thread)
    except MessageGone:
        if not entry.chat_id:
            raise
        return context.feishu.create(entry.chat_id, msg_type, content, uuid)


def _parent(context: Context, reply_to: str) -> str:
    if not reply_to.startswith(PARENT):
        return reply_to
    parent = context.state.find(Outgoing, reply_to.removeprefix(PARENT))
    if parent is None or not parent.message_id:
        raise NotYet
    return parent.message_id


def _chat(context: Context, entry: Outgoing) -> str:
    chat_id = entry.chat_id or context.settings.feishu_chat_id
    if not chat_id:
        raise FeishuRejected(say("incident-no-chat").of(context.settings.language))
    return chat_id


# Cards.


@dataclass(frozen=True, slots=True)
class _Made:
    """A message that was sent for a card."""

    msg_type: str
    message_id: str
    is_simpler: bool


def _send_card(context: Context, entry: Outgoing) -> None:
    incident = context.state.find(Incident, entry.incident_id)
    if incident is None:
        _record(context, entry, lambda known: known)  # Expired: there is nothing left to show.
        return
    here = replace(incident, chat_id=entry.chat_id or incident.chat_id)
    if not entry.message_id:
        _create_card(context, entry, here, entry.uuid)
    elif entry.msg_type == TEXT:
        _follow_text(context, entry, here)
    else:
        _patch_card(context, entry, here)


def _follow_text(context: Context, entry: Outgoing, incident: Incident) -> None:
    """Send the next revision as a new message, perhaps a card again: a text cannot be updated."""
    if entry.content.get("revision") == incident.revision:
        _record(context, entry, lambda known: known)
    else:
        _create_card(context, entry, incident, uuid_of(f"{entry.id}-r{incident.revision}"))


def _patch_card(context: Context, entry: Outgoing, incident: Incident) -> None:
    view = view_of(context, incident)
    try:
        for suffix, card in _simpler(context, view):
            try:
                context.feishu.patch(entry.message_id, card)
                simpler = bool(suffix)
                break
            except CardRejected as error:
                _log.error("card refused, showing a simpler one", error=str(error))
                refused = error
        else:
            raise refused
    except MessageGone:
        _create_card(context, entry, incident, uuid_of(f"{entry.id}-w{entry.wanted}"))
    else:
        _record(context, entry, lambda known: replace(known, is_simpler=simpler))


def _create_card(context: Context, entry: Outgoing, incident: Incident, uuid: str) -> None:
    view, chat_id = view_of(context, incident), _chat(context, entry)
    made = _create(context, view, chat_id, uuid, again=entry.attempts > 1)
    content: dict[str, object] = {"revision": incident.revision} if made.msg_type == TEXT else {}

    def created(known: Outgoing) -> Outgoing:
        return replace(
            known,
            message_id=made.message_id,
            msg_type=made.msg_type,
            content=content,
            is_simpler=made.is_simpler,
        )

    _record(context, entry, created)


def _create(context: Context, view: IncidentView, chat_id: str, uuid: str, *, again: bool) -> _Made:
    """Send a card, else a simpler one, else a text; return which it was, and its message id.

    An earlier attempt may have succeeded unnoticed. Feishu then returns its message, which shows
    what was true at that time; so what is sent again is also updated.
    """
    for suffix, card in _simpler(context, view):
        try:
            message_id = context.feishu.create(chat_id, CARD, card, f"{uuid}{suffix}")
            if again:
                context.feishu.patch(message_id, card)
        except CardRejected as error:
            _log.error("card refused, sending a simpler one", error=str(error))
        else:
            return _Made(CARD, message_id, is_simpler=bool(suffix))
    text = {"text": fallback_text(view, _language(context, view))}
    message_id = context.feishu.create(chat_id, TEXT, text, f"{uuid}-t")
    return _Made(TEXT, message_id, is_simpler=True)


def _simpler(context: Context, view: IncidentView) -> Iterator[tuple[str, Content]]:
    """Yield the card, simpler cards, and a note, each with what to add to the uuid.

    A card is refused when it mentions somebody whom Feishu does not know (any more).
    """
    language = _language(context, view)
    yield "", incident_card(view, language)
    if view.picture:
        yield "-p", incident_card(replace(view, picture=""), language)
    if view.incident.slow and view.incident.slow.series:
        view = _without_chart(view)
        yield "-c", incident_card(replace(view, picture=""), language)
    nobody = _unnamed(view)
    if nobody != view:
        yield "-m", incident_card(replace(nobody, picture=""), language)
    title, *lines = fallback_text(view, language).splitlines()
    told = "\n".join(escape_markdown(line, 2000) for line in lines)
    yield "-n", note_card(title, told, "orange", language)


def _without_chart(view: IncidentView) -> IncidentView:
    """Return the view without the steps that its card would draw."""
    slow = view.incident.slow and replace(view.incident.slow, series=())
    return replace(view, incident=replace(view.incident, slow=slow))


def _unnamed(view: IncidentView) -> IncidentView:
    """Return the view without the people whom its card would mention."""
    incident = replace(view.incident, last_actor="", acked_by="")
    silence = replace(view.silence, by="") if view.silence else None
    return replace(view, incident=incident, silence=silence)


def _language(context: Context, view: IncidentView) -> Language:
    return language_of(context.state, view.incident, context.settings.language)
