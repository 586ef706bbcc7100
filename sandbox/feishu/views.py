"""Messages and chats as people and tests see them; the control API sends them, the client reads.

Times are milliseconds since the epoch.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from sandbox.feishu.cardcheck import places
from sandbox.feishu.emojis import shown
from sandbox.feishu.model import Chat, Message, Person
from sandbox.feishu.world import World

Json = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonView:
    """Somebody in the channel."""

    open_id: str
    name: str
    is_bot: bool
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatView:
    """A chat and its last line."""

    chat_id: str
    name: str
    chat_type: str
    bot_inside: bool
    members: tuple[PersonView, ...]
    last_text: str
    last_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionView:
    """An emoji under a message, and who put it there."""

    emoji: str
    shown: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """A message as it stands now; text is what a person reads in it, card or not."""

    message_id: str
    chat_id: str
    msg_type: str
    content: Json
    text: str
    sender: PersonView
    created_ms: int
    updated_ms: int
    updated: bool
    revisions: int
    recalled: bool
    pinned: bool
    urgent_for: tuple[str, ...]
    reactions: tuple[ReactionView, ...]
    root_id: str = ""
    parent_id: str = ""
    thread_id: str = ""
    buttons: tuple[str, ...] = ()
    html: str = ""
    mentions: dict[str, str] = field(default_factory=dict)


def person_view(person: Person) -> PersonView:
    """Show a person."""
    return PersonView(
        open_id=person.open_id, name=person.name, is_bot=person.is_bot, role=person.role
    )


def chat_view(chat: Chat, world: World) -> ChatView:
    """Show a chat with its last message."""
    messages = world.messages_of(chat.chat_id)
    last = messages[-1] if messages else None
    return ChatView(
        chat_id=chat.chat_id,
        name=chat.name,
        chat_type=chat.chat_type,
        bot_inside=chat.bot_inside,
        members=tuple(person_view(world.people[member]) for member in chat.members),
        last_text=preview(last, world) if last else "",
        last_ms=last.created_ms if last else 0,
    )


def message_view(message: Message, world: World, html: str = "") -> MessageView:
    """Show a message."""
    content: Json = {} if message.recalled else json.loads(message.content)
    names = {mention.key: world.people[mention.open_id].name for mention in message.mentions}
    return MessageView(
        message_id=message.message_id,
        chat_id=message.chat_id,
        msg_type=message.msg_type,
        content=content,
        text=_with_names("\n".join(texts(content)), names),
        sender=person_view(world.people[message.sender]),
        created_ms=message.created_ms,
        updated_ms=message.updated_ms,
        updated=message.updated,
        revisions=len(message.earlier),
        recalled=message.recalled,
        pinned=bool(message.pinned_ms),
        urgent_for=tuple(world.people[who].name for who in message.urgent_for),
        reactions=_reactions(message, world),
        root_id=message.root_id,
        parent_id=message.parent_id,
        thread_id=message.thread_id,
        buttons=tuple(_buttons(content)),
        html=html,
        mentions=names,
    )


def preview(message: Message, world: World) -> str:
    """Return the line that the list of chats shows for a message."""
    if message.recalled:
        return ""
    content = json.loads(message.content)
    config = content.get("config")
    summary = config.get("summary") if isinstance(config, dict) else None
    if isinstance(summary, dict) and summary.get("content"):
        return str(summary["content"])
    names = {mention.key: world.people[mention.open_id].name for mention in message.mentions}
    return _with_names(next(texts(content), f"[{message.msg_type}]"), names)[:80]


def texts(value: object) -> Iterator[str]:
    """Yield every text that a person can read in a content, in order."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        if value.get("tag") == "table":
            yield from _table_texts(value)
            return
        for key, item in value.items():
            if key in {"content", "text", "title"} and isinstance(item, str) and item:
                yield item
            elif key not in {
                "config",
                "behaviors",
                "value",
                "card_link",
                "confirm",
                "i18n_content",
            }:
                yield from texts(item)


def _table_texts(table: Json) -> Iterator[str]:
    rows = table.get("rows")
    for row in rows if isinstance(rows, list) else []:
        cells = row.values() if isinstance(row, dict) else []
        yield " | ".join(_cell_text(cell) for cell in cells)


def _cell_text(cell: object) -> str:
    return " ".join(texts(cell)) if isinstance(cell, dict | list) else str(cell)


def _with_names(text: str, names: dict[str, str]) -> str:
    for key, name in names.items():
        text = text.replace(key, f"@{name}")
    return text


def _buttons(content: Json) -> Iterator[str]:
    for place in places(content):
        if place.tag == "button" and not place.node.get("disabled"):
            label = place.node.get("text")
            yield str(label.get("content", "")) if isinstance(label, dict) else ""


def _reactions(message: Message, world: World) -> tuple[ReactionView, ...]:
    names: dict[str, list[str]] = {}
    for reaction in message.reactions:
        names.setdefault(reaction.emoji, []).append(world.people[reaction.open_id].name)
    return tuple(
        ReactionView(emoji=emoji, shown=shown(emoji), names=tuple(who))
        for emoji, who in names.items()
    )
