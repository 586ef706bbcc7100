"""The events and callbacks the platform pushes, as JSON.

Source: the pages im.message.receive_v1, application.bot.menu_v6, card.action.trigger (card
callback communication) and im.chat.member.bot.added_v1; the envelope is version 2.0.
"""

import secrets
from dataclasses import dataclass

from sandbox.feishu.clock import Clock
from sandbox.feishu.model import Chat, Message, Person
from sandbox.feishu.options import Options
from sandbox.feishu.world import TENANT_KEY, World

Json = dict[str, object]
MESSAGE = "im.message.receive_v1"
CLICK = "card.action.trigger"
BOT_ADDED = "im.chat.member.bot.added_v1"
MENU = "application.bot.menu_v6"
BOT_DELETED = "im.chat.member.bot.deleted_v1"


@dataclass(frozen=True, slots=True)
class Event:
    """A complete envelope and the two things about it that everybody asks for."""

    event_id: str
    event_type: str
    payload: Json


def envelope(options: Options, clock: Clock, event_type: str, event: Json) -> Event:
    """Wrap an event; create_time is in ms, for clicks in µs, as the platform sends them."""
    event_id = secrets.token_hex(16)
    created = clock.now_ms() * (1000 if event_type == CLICK else 1)
    header: Json = {
        "event_id": event_id,
        "event_type": event_type,
        "create_time": str(created),
        "token": options.verification_token,
        "app_id": options.app_id,
        "tenant_key": TENANT_KEY,
    }
    return Event(event_id, event_type, {"schema": "2.0", "header": header, "event": event})


def _ids(person: Person) -> Json:
    return {"union_id": person.union_id, "user_id": person.user_id, "open_id": person.open_id}


def message_received(message: Message, world: World) -> Json:
    """Return the event of a person's message."""
    chat = world.chat(message.chat_id)
    body: Json = {
        "message_id": message.message_id,
        "create_time": str(message.created_ms),
        "update_time": str(message.updated_ms),
        "chat_id": chat.chat_id,
        "chat_type": chat.chat_type,
        "message_type": message.msg_type,
        "content": message.content,
    }
    for key in ("root_id", "parent_id", "thread_id"):
        if value := getattr(message, key):
            body[key] = value
    if message.mentions:
        body["mentions"] = [
            {
                "key": mention.key,
                "id": _ids(world.people[mention.open_id]),
                "mentioned_type": "bot" if world.people[mention.open_id].is_bot else "user",
                "name": world.people[mention.open_id].name,
                "tenant_key": TENANT_KEY,
            }
            for mention in message.mentions
        ]
    sender = world.people[message.sender]
    return {
        "sender": {"sender_id": _ids(sender), "sender_type": "user", "tenant_key": TENANT_KEY},
        "message": body,
    }


def card_clicked(message: Message, operator: Person, action: Json, token: str) -> Json:
    """Return the callback of a click."""
    return {
        "operator": {"tenant_key": TENANT_KEY, **_ids(operator)},
        "token": token,
        "action": action,
        "host": "im_message",
        "context": {"open_message_id": message.message_id, "open_chat_id": message.chat_id},
    }


def bot_moved(chat: Chat, operator: Person) -> Json:
    """Return the event of the bot's joining or leaving a group."""
    return {
        "chat_id": chat.chat_id,
        "operator_id": _ids(operator),
        "external": False,
        "operator_tenant_key": TENANT_KEY,
        "name": chat.name,
        "i18n_names": {"zh_cn": chat.name, "en_us": chat.name, "ja_jp": chat.name},
    }


def menu_chosen(event_key: str, operator: Person, now_ms: int) -> Json:
    """Return the event of an item of the bot's menu; it names no chat, its time is in seconds."""
    return {
        "operator": {"operator_name": operator.name, "operator_id": _ids(operator)},
        "event_key": event_key,
        "timestamp": now_ms // 1000,
    }
