"""Requests seen before, remembered in Redis.

Feishu repeats an event for up to seven hours (after 15 s, 5 min, 1 h, 6 h), with the same event id.
An id is remembered only after its work was recorded: otherwise the repetition of a request that
failed in between would be taken for a duplicate, and lost.
"""

from datetime import timedelta

from redis import Redis

from rankscope.signing import WINDOW_S
from rankscope.store.state import PREFIX

EVENTS_TTL = timedelta(days=1)


def event_seen(redis: Redis, event_id: str) -> bool:
    """Return whether an event's work was recorded before."""
    return bool(redis.exists(f"{PREFIX}:feishu-event:{event_id}"))


def remember_event(redis: Redis, event_id: str) -> None:
    """Remember that an event's work is recorded."""
    redis.set(f"{PREFIX}:feishu-event:{event_id}", 1, ex=EVENTS_TTL)


def is_new_nonce(redis: Redis, nonce: str) -> bool:
    """Remember the nonce of a signed request; False when it was used within the time window."""
    key = f"{PREFIX}:nonce:{nonce}"
    return bool(redis.set(key, 1, ex=timedelta(seconds=2 * WINDOW_S), nx=True))
