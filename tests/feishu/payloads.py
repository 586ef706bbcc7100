"""Pushes as Feishu makes them (its pages on receiving messages and on card callbacks)."""

import json
import secrets
import time
from typing import Any

from rankscope.feishu import crypto

KEY = "encrypt-key"
TOKEN = "verification-token"
BOT = "ou_bot"
CLICK = "card.action.trigger"
NOW = 1_735_689_600.0

Json = dict[str, Any]


def envelope(
    event_type: str,
    event: Json,
    event_id: str = "",
    token: str = TOKEN,
    created_at: float | None = None,
) -> Json:
    created_ms = int((time.time() if created_at is None else created_at) * 1000)
    header = {
        "event_id": event_id or f"ev-{secrets.token_hex(8)}",
        "event_type": event_type,
        "create_time": str(created_ms * 1000 if event_type == CLICK else created_ms),
        "token": token,
        "app_id": "cli_test",
        "tenant_key": "tenant",
    }
    return {"schema": "2.0", "header": header, "event": event}


def mention(key: str, open_id: str, name: str, kind: str = "bot") -> Json:
    return {
        "key": key,
        "id": {"union_id": "on_x", "user_id": None, "open_id": open_id},
        "mentioned_type": kind,
        "name": name,
        "tenant_key": "tenant",
    }


BOT_MENTION = mention("@_user_1", BOT, "rankscope")


def message(
    text: str = "@_user_1 /capture jo-1",
    *,
    mentions: tuple[Json, ...] = (BOT_MENTION,),
    chat_type: str = "group",
    message_id: str = "om_1",
    sender_type: str = "user",
    event_id: str = "",
) -> Json:
    sender_id = {"union_id": "on_1", "user_id": None, "open_id": "ou_person"}
    event = {
        "sender": {"sender_id": sender_id, "sender_type": sender_type, "tenant_key": "tenant"},
        "message": {
            "message_id": message_id,
            "create_time": "1735689600000",
            "chat_id": "oc_1",
            "chat_type": chat_type,
            "message_type": "text",
            "content": json.dumps({"text": text}),
            "mentions": list(mentions),
        },
    }
    return envelope("im.message.receive_v1", event, event_id)


def click(value: object, event_id: str = "") -> Json:
    event = {
        "operator": {"tenant_key": "tenant", "open_id": "ou_person", "union_id": "on_1"},
        "token": "c-1",
        "action": {"value": value, "tag": "button", "timezone": "Asia/Shanghai"},
        "host": "im_message",
        "context": {"open_message_id": "om_card", "open_chat_id": "oc_1"},
    }
    return envelope(CLICK, event, event_id)


def challenge(token: str = TOKEN) -> Json:
    return {"challenge": "ajls384kdjx98XX", "token": token, "type": "url_verification"}


def encrypted(payload: Json, key: str = KEY) -> bytes:
    return json.dumps({"encrypt": crypto.encrypt(key, json.dumps(payload).encode())}).encode()


def pushed(payload: Json, now: float = NOW, key: str = KEY) -> tuple[bytes, dict[str, str]]:
    """Return body and headers, encrypted and signed."""
    body = encrypted(payload, key)
    return body, crypto.sign(key, str(int(now)), secrets.token_hex(8), body)
