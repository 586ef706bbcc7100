"""Keeps to what Feishu takes: 5 messages a second for one chat, shared by all bots in it.

Waiting is good for something: a card is drawn after it, so that updates that come meanwhile are
one.
"""

import time
from collections.abc import Callable
from typing import cast

from redis import Redis

from rankscope.feishu.errors import FeishuUnavailable
from rankscope.store.state import PREFIX

MOST_A_SECOND = 4
"""One less than Feishu takes, for replies whose chat is not known here."""
PATIENCE = 3


def wait_turn(
    redis: Redis,
    chat_id: str,
    pause: Callable[[float], None] = time.sleep,
    now: Callable[[], float] = time.time,
) -> None:
    """Wait until the chat may have another message; raises FeishuUnavailable after three seconds.

    All workers count together. The seconds are those of the clock, so that at worst two full ones
    meet; what Feishu then refuses is tried again.
    """
    for _ in range(PATIENCE):
        moment = now()
        if _count(redis, chat_id, int(moment)) <= MOST_A_SECOND:
            return
        pause(1.0 - moment % 1.0)
    raise FeishuUnavailable(f"Many messages wait for {chat_id}.", "It is tried again.", 1.0)


def _count(redis: Redis, chat_id: str, second: int) -> int:
    key = f"{PREFIX}:pace:{chat_id}:{second}"
    with redis.pipeline() as pipe:
        pipe.incr(key)
        pipe.expire(key, 5)
        return cast("int", pipe.execute()[0])
