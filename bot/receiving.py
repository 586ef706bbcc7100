"""What Feishu tells us, acted on once, whether it was pushed or came over a long connection."""

import asyncio
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import msgspec
import structlog
from anyio import to_thread
from redis.exceptions import RedisError

from bot.click_cards import DRAWN_WITHIN_S
from bot.clicks import Answer, answer_click
from bot.identity import BotIdentity
from bot.replays import EVENTS_TTL, event_seen, remember_event
from bot.toasts import toast
from rankscope.chat import toasts
from rankscope.feishu.extract import (
    CLICK_EVENT,
    MENU_EVENT,
    MESSAGE_EVENT,
    click_of,
    menu_of,
    message_of,
)
from rankscope.feishu.inbound import Envelope
from rankscope.model.chat import ChatMessage, MenuChoice
from rankscope.queueing import Task, submit
from rankscope.settings import Settings
from rankscope.store.state import State

DEADLINE_S = 2.0  # Feishu gives up after 3 s.

_log = structlog.get_logger()

Json = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Receiver:
    """What it takes to act on an event."""

    state: State
    settings: Settings
    identity: BotIdentity


async def receive(receiver: Receiver, envelope: Envelope) -> Json:
    """Record what an event asks for and return the answer, in well under Feishu's 3 s.

    A click is always answered with a toast. For other events RedisError and TimeoutError are
    raised: nothing, or not all, was recorded, and Feishu shall send the event again.
    """
    if envelope.event_type == CLICK_EVENT:
        return await _click(receiver, envelope)
    return await _in_time(partial(_event, receiver, envelope))


async def _in_time(work: Callable[[], T]) -> T:
    """Work in a thread; raises TimeoutError while it goes on, which a repetition does not mind."""
    async with asyncio.timeout(DEADLINE_S):
        return await to_thread.run_sync(work, abandon_on_cancel=True)


def _event(receiver: Receiver, envelope: Envelope) -> Json:
    wish = _wish(receiver, envelope)
    if wish is None:
        return {"status": "ignored"}
    if _is_forgotten(envelope):
        _log.warning("event too old", event_id=envelope.event_id, created_at=envelope.created_at)
        return {"status": "ignored"}
    task, told, unique_id = wish
    fresh = submit(receiver.state.redis, task, msgspec.to_builtins(told), unique_id=unique_id)
    return {"status": "accepted" if fresh else "duplicate"}


def _wish(
    receiver: Receiver, envelope: Envelope
) -> tuple[Task, ChatMessage | MenuChoice, str] | None:
    """Return what an event asks for, with the id that equal wishes share; None for nothing."""
    if envelope.event_type == MESSAGE_EVENT:
        message = message_of(envelope, receiver.identity.open_id)
        # Feishu asks to recognise a repeated message by its message id, not by the event's.
        if message is not None:
            return Task.HANDLE_MESSAGE, message, f"message-{message.message_id}"
    if envelope.event_type == MENU_EVENT:
        choice = menu_of(envelope)
        if choice is not None:
            return Task.HANDLE_MENU, choice, f"menu-{_safe(choice.event_id)}"
    return None


def _safe(event_id: str) -> str:
    """Return an id with only the letters that RQ allows."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", event_id)


def _is_forgotten(envelope: Envelope) -> bool:
    """Whether an event is so old that we could not tell whether it was acted on before."""
    age_s = time.time() - envelope.created_at
    return bool(envelope.created_at) and age_s > EVENTS_TTL.total_seconds()


async def _click(receiver: Receiver, envelope: Envelope) -> Json:
    """Answer with a toast whatever happens: Feishu does not repeat clicks, it shows an error."""
    try:
        answer = await _in_time(partial(_click_once, receiver, envelope))
    except (RedisError, TimeoutError) as error:
        _log.error("click not recorded", event_id=envelope.event_id, error=str(error))
        answer = Answer("error", toasts.unavailable())
    said = toast(answer.kind, answer.text, receiver.settings.language)
    card = await _drawn(answer)
    return said if card is None else {**said, "card": {"type": "raw", "data": card}}


async def _drawn(answer: Answer) -> Json | None:
    """Draw the answer's card in a thread; what takes too long, or fails, is left to the outbox."""
    try:
        async with asyncio.timeout(DRAWN_WITHIN_S):
            return await to_thread.run_sync(answer.draw, abandon_on_cancel=True)
    except TimeoutError:
        return None
    except Exception as error:  # noqa: BLE001 - the toast must come; logged with its traceback
        _log.error("no card in the answer", exc_info=error)
        return None


def _click_once(receiver: Receiver, envelope: Envelope) -> Answer:
    redis = receiver.state.redis
    if _is_forgotten(envelope) or event_seen(redis, envelope.event_id):
        return Answer("info", toasts.already_requested())
    answer = answer_click(receiver.state, click_of(envelope), receiver.settings)
    remember_event(redis, envelope.event_id)
    return answer
