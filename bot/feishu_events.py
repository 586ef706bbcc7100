"""POST /feishu/events: what Feishu pushes. Recorded and answered in well under its 3 s."""

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import msgspec
import structlog
from anyio import to_thread
from fastapi import APIRouter, Request
from redis.exceptions import RedisError

from bot.body import read_body
from bot.clicks import Answer, answer_click
from bot.replays import event_seen, remember_event
from bot.shared import identity_of, settings_of, state_of
from bot.toasts import toast
from rankscope.chat import toasts
from rankscope.feishu.extract import CLICK_EVENT, MESSAGE_EVENT, click_of, message_of
from rankscope.feishu.inbound import Envelope, open_envelope
from rankscope.queueing import Task, submit
from rankscope.settings import Settings
from rankscope.store.state import State

DEADLINE_S = 2.0  # Feishu gives up after 3 s.

router = APIRouter()
_log = structlog.get_logger()

Json = dict[str, Any]
T = TypeVar("T")


@router.post("/feishu/events")
async def receive(request: Request) -> Json:
    """Check a push, record what it asks for, and answer."""
    settings, state = settings_of(request), state_of(request)
    envelope = open_envelope(
        await read_body(request),
        request.headers,
        settings.feishu_encrypt_key.get_secret_value(),
        settings.feishu_verification_token.get_secret_value(),
        time.time(),
    )
    if envelope.challenge is not None:
        return {"challenge": envelope.challenge}
    if envelope.event_type == CLICK_EVENT:
        return await _click(state, envelope, settings)
    return await _in_time(partial(_event, state, envelope, identity_of(request).open_id))


async def _in_time(work: Callable[[], T]) -> T:
    """Work in a thread; raises TimeoutError while it goes on, which a repetition does not mind."""
    async with asyncio.timeout(DEADLINE_S):
        return await to_thread.run_sync(work, abandon_on_cancel=True)


def _event(state: State, envelope: Envelope, bot_open_id: str) -> Json:
    message = None
    if envelope.event_type == MESSAGE_EVENT:
        message = message_of(envelope, bot_open_id)
    if message is None:
        return {"status": "ignored"}
    if event_seen(state.redis, envelope.event_id):
        return {"status": "duplicate"}
    # Feishu asks to recognise a repeated message by its message id, not by the event's.
    unique_id = f"message-{message.message_id}"
    arguments = msgspec.to_builtins(message)
    fresh = submit(state.redis, Task.HANDLE_MESSAGE, arguments, unique_id=unique_id)
    remember_event(state.redis, envelope.event_id)
    return {"status": "accepted" if fresh else "duplicate"}


async def _click(state: State, envelope: Envelope, settings: Settings) -> Json:
    """Answer with a toast whatever happens: Feishu does not repeat clicks, it shows an error."""
    try:
        kind, text = await _in_time(partial(_click_once, state, envelope, settings))
    except (RedisError, TimeoutError) as error:
        _log.error("click not recorded", event_id=envelope.event_id, error=str(error))
        kind, text = "error", toasts.unavailable()
    return toast(kind, text, settings.language)


def _click_once(state: State, envelope: Envelope, settings: Settings) -> Answer:
    if event_seen(state.redis, envelope.event_id):
        return "info", toasts.already_requested()
    answer = answer_click(state, click_of(envelope), settings)
    remember_event(state.redis, envelope.event_id)
    return answer
