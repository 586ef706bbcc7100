"""Messages and clicks out of opened envelopes, freed of what Feishu wraps around them."""

import re
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from rankscope.decoding import decode_json
from rankscope.feishu.inbound import Envelope
from rankscope.model.chat import ChatMessage, Click, MenuChoice

MESSAGE_EVENT = "im.message.receive_v1"
CLICK_EVENT = "card.action.trigger"
MENU_EVENT = "application.bot.menu_v6"

_MENTION = re.compile(r"@_user_\d+|@_all\b")
_SPACES = re.compile(r"[^\S\n]+")  # NBSP and the ideographic space among them


@dataclass(frozen=True, slots=True)
class _Id:
    open_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Mention:
    key: str
    id: _Id = field(default_factory=_Id)
    name: str = ""
    mentioned_type: str | None = None


@dataclass(frozen=True, slots=True)
class _Sender:
    sender_id: _Id = field(default_factory=_Id)
    sender_type: str = "user"


@dataclass(frozen=True, slots=True)
class _Message:
    message_id: str
    chat_id: str
    chat_type: str
    message_type: str = "text"
    content: str = ""
    mentions: tuple[_Mention, ...] | None = None


@dataclass(frozen=True, slots=True)
class _MessageEvent:
    message: _Message
    sender: _Sender = field(default_factory=_Sender)


@dataclass(frozen=True, slots=True)
class _Value:
    act: str
    incident: str
    rev: int


@dataclass(frozen=True, slots=True)
class _Action:
    value: _Value
    option: str | None = None
    form_value: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Context:
    open_message_id: str = ""
    open_chat_id: str = ""


@dataclass(frozen=True, slots=True)
class _ClickEvent:
    action: _Action
    operator: _Id = field(default_factory=_Id)
    context: _Context = field(default_factory=_Context)


@dataclass(frozen=True, slots=True)
class _Operator:
    operator_id: _Id = field(default_factory=_Id)


@dataclass(frozen=True, slots=True)
class _MenuEvent:
    event_key: str
    operator: _Operator = field(default_factory=_Operator)


T = TypeVar("T")


def _convert(event: dict[str, Any], kind: type[T]) -> T | None:
    try:
        return msgspec.convert(event, type=kind)
    except msgspec.ValidationError:
        return None


def message_of(envelope: Envelope, bot_open_id: str) -> ChatMessage | None:
    """Return the message if a person addressed it to the bot with words, else None.

    bot_open_id is empty while it is unknown; then any mentioned bot counts as ours.
    """
    event = _convert(envelope.event, _MessageEvent)
    if event is None or event.sender.sender_type != "user":
        return None
    message = event.message
    ours = {m.key for m in message.mentions or () if _is_ours(m, bot_open_id)}
    text = _text(message, ours)
    if text is None or not (ours or message.chat_type == "p2p"):
        return None
    return ChatMessage(
        message_id=message.message_id,
        chat_id=message.chat_id,
        chat_type=message.chat_type,
        sender=event.sender.sender_id.open_id or "",
        text=text,
    )


def _is_ours(mention: _Mention, bot_open_id: str) -> bool:
    if bot_open_id:
        return mention.id.open_id == bot_open_id
    return mention.mentioned_type == "bot"


def _text(message: _Message, ours: set[str]) -> str | None:
    """Return the words of a text or post message; None for other kinds and recalled messages."""
    try:
        content = decode_json(message.content, dict[str, Any])
    except msgspec.DecodeError:
        return None
    if message.message_type == "text":
        raw = str(content.get("text", ""))
    elif message.message_type == "post":
        raw = _post_text(content)
    else:
        return None
    names = {m.key: f"@{m.name}" for m in message.mentions or ()} | dict.fromkeys(ours, " ")
    named = _MENTION.sub(lambda found: names.get(found[0], found[0]), raw)
    words = _SPACES.sub(" ", named).strip()
    return f"/{words[1:]}" if words.startswith("／") else words


def _post_text(content: dict[str, Any]) -> str:
    """Join the words of a rich text; its at-nodes carry the same placeholders as a text."""
    paragraphs = [p for p in content.get("content") or [] if isinstance(p, list)]
    lines = ("".join(_node_text(n) for n in p if isinstance(n, dict)) for p in paragraphs)
    return "\n".join([str(content.get("title") or ""), *lines])


def _node_text(node: dict[str, Any]) -> str:
    return str(node.get("user_id" if node.get("tag") == "at" else "text") or "")


def click_of(envelope: Envelope) -> Click | None:
    """Return the click of a button of ours; None when its value is not one we give."""
    event = _convert(envelope.event, _ClickEvent)
    if event is None:
        return None
    value = event.action.value
    return Click(
        event_id=envelope.event_id,
        action=value.act,
        incident_id=value.incident,
        revision=value.rev,
        operator=event.operator.open_id or "",
        message_id=event.context.open_message_id,
        chat_id=event.context.open_chat_id,
        option=event.action.option or "",
        form=_filled_in(event.action.form_value),
    )


def _filled_in(form: dict[str, Any] | None) -> dict[str, str]:
    """Return the fields of a form that hold text; ours have no others."""
    return {name: value for name, value in (form or {}).items() if isinstance(value, str)}


def menu_of(envelope: Envelope) -> MenuChoice | None:
    """Return the item of the bot's menu that was chosen; None when nobody is named to answer."""
    event = _convert(envelope.event, _MenuEvent)
    if event is None or not event.operator.operator_id.open_id:
        return None
    return MenuChoice(
        event_id=envelope.event_id,
        key=event.event_key,
        operator=event.operator.operator_id.open_id,
    )
