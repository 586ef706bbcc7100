"""People, chats and messages as the emulator holds them in memory."""

import hashlib
import secrets
from dataclasses import dataclass, field
from typing import Literal

ChatType = Literal["group", "p2p"]
SenderType = Literal["user", "app"]


def stable_id(prefix: str, name: str) -> str:
    """Return the same id for the same name in every run, so that it can be configured."""
    return f"{prefix}_{hashlib.sha256(f'{prefix}:{name}'.encode()).hexdigest()[:32]}"


def new_id(prefix: str) -> str:
    """Return a fresh id, such as `om_…` for a message."""
    return f"{prefix}_{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the channel, or the bot itself."""

    open_id: str
    name: str
    is_bot: bool = False
    role: str = ""

    @property
    def union_id(self) -> str:
        """The person's id across the apps of one developer."""
        return stable_id("on", self.open_id)

    @property
    def user_id(self) -> str:
        """The person's id inside the tenant."""
        return stable_id("u", self.open_id)[2:10]


@dataclass(slots=True)
class Chat:
    """A group, or one person's chat with the bot."""

    chat_id: str
    name: str
    chat_type: ChatType
    members: list[str]
    bot_inside: bool = True


@dataclass(frozen=True, slots=True)
class Mention:
    """A placeholder in a message's text and the person it stands for."""

    key: str
    open_id: str


@dataclass(frozen=True, slots=True)
class Reaction:
    """An emoji under a message."""

    reaction_id: str
    emoji: str
    open_id: str
    at_ms: int


@dataclass(slots=True, kw_only=True)
class Message:
    """One message with its state; content is JSON text as the API takes and returns it."""

    message_id: str
    chat_id: str
    sender: str
    sender_type: SenderType
    msg_type: str
    content: str
    created_ms: int
    updated_ms: int
    mentions: tuple[Mention, ...] = ()
    root_id: str = ""
    parent_id: str = ""
    thread_id: str = ""
    recalled: bool = False
    pinned_ms: int = 0
    earlier: list[str] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    urgent_for: list[str] = field(default_factory=list)
    open_clicks: int = 0

    @property
    def updated(self) -> bool:
        """Whether the content was replaced since it was sent."""
        return bool(self.earlier)

    def replace(self, content: str, now_ms: int) -> None:
        """Put new content in place and keep the old one."""
        self.earlier.append(self.content)
        self.content = content
        self.updated_ms = now_ms
