"""Sends the outbox: every message once, every card brought up to date in place.

One RQ worker at a time sends a given card. Whoever comes second leaves at once: the first looks
again after it has let go of the lock, so that no update is overlooked.
"""

import math
import time
from dataclasses import replace

import structlog
from redis.exceptions import LockNotOwnedError
from redis.lock import Lock
from rq import Retry

from rankscope.feishu.errors import FeishuRejected, FeishuUnavailable
from rankscope.incidents.holding import held_for, sending
from rankscope.model.state import Outgoing
from rankscope.queueing import RETRIES
from rankscope.store.state import Locked
from workers.context import Context
from workers.fallback import refused, show_elsewhere
from workers.pacing import wait_turn
from workers.sending import NotYet, send

LOCK_S = 12.0
"""Shorter than the 15 s after which RQ gives the work of a killed worker to another one."""
PAUSE_S = 0.25
"""Feishu takes 5 updates of one message a second, shared by all bots of a chat."""
PARENT_TRIES = 20
TROUBLE_S = 120.0
"""When Feishu does not answer for so long, the custom bot of the settings is told."""

_log = structlog.get_logger()


class _Held(Exception):
    """A click on the card is being answered, with the card."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def deliver(context: Context, outgoing_id: str) -> Retry | None:
    """Send a message, or bring its card up to date; returns when RQ is to try again, if so."""
    while _is_due(context, outgoing_id):
        try:
            with context.state.lock(sending(outgoing_id), LOCK_S, patience_s=0) as lock:
                _send_all(context, outgoing_id, lock)
        except _Held as held:
            time.sleep(held.seconds)
        except (Locked, LockNotOwnedError):
            return None
        except NotYet:
            return Retry(max=PARENT_TRIES, interval=1)
        except FeishuUnavailable as error:
            return _later(context, outgoing_id, error)
        except FeishuRejected as error:
            refused(context, _note_error(context, outgoing_id, error), error)
            if not _has_moved(context, outgoing_id):
                return None
    return None


def _is_due(context: Context, outgoing_id: str) -> bool:
    entry = context.state.find(Outgoing, outgoing_id)
    return entry is not None and entry.sent < entry.wanted


def _send_all(context: Context, outgoing_id: str, lock: Lock) -> None:
    while _is_due(context, outgoing_id):
        _wait_turn(context, outgoing_id)
        lock.reacquire()
        # Looked at with the lock held: who answers a click looks at the lock after it holds.
        held_s = held_for(context.state, outgoing_id)
        if held_s:
            raise _Held(held_s)
        send(context, context.state.change(Outgoing, outgoing_id, _attempted))
        if _is_due(context, outgoing_id):
            time.sleep(PAUSE_S)


def _wait_turn(context: Context, outgoing_id: str) -> None:
    entry = context.state.find(Outgoing, outgoing_id)
    if entry is not None and entry.chat_id:
        wait_turn(context.redis, entry.chat_id)


def _attempted(entry: Outgoing) -> Outgoing:
    first = entry.first_attempt_at or time.time()
    return replace(entry, attempts=entry.attempts + 1, first_attempt_at=first)


def _later(context: Context, outgoing_id: str, error: FeishuUnavailable) -> Retry:
    entry = _note_error(context, outgoing_id, error)
    if time.time() - entry.troubled_at > TROUBLE_S:
        show_elsewhere(context, entry)
    _log.warning("Feishu unavailable", error=str(error))
    intervals = [1, 5, 15, 60, 60]
    if error.retry_after_s is not None:
        intervals[0] = max(1, math.ceil(error.retry_after_s))
    return Retry(max=RETRIES, interval=intervals)


def _note_error(context: Context, outgoing_id: str, error: Exception) -> Outgoing:
    def edit(entry: Outgoing) -> Outgoing:
        since = entry.troubled_at if entry.error else time.time()
        return replace(entry, error=str(error), troubled_at=since)

    return context.state.change(Outgoing, outgoing_id, edit)


def _has_moved(context: Context, outgoing_id: str) -> bool:
    """Whether a refused card is to be sent to another chat now."""
    entry = context.state.find(Outgoing, outgoing_id)
    return entry is not None and not entry.error
