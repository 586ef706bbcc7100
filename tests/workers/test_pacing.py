"""No chat gets more messages a second than Feishu takes."""

import pytest
from fakeredis import FakeRedis

from rankscope.feishu.errors import FeishuUnavailable
from workers.pacing import MOST_A_SECOND, wait_turn


class Clock:
    def __init__(self) -> None:
        self.at = 1_800_000_000.25
        self.pauses: list[float] = []

    def now(self) -> float:
        return self.at

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.at += seconds


def send(redis: FakeRedis, clock: Clock, times: int, chat: str = "oc_a") -> None:
    for _ in range(times):
        wait_turn(redis, chat, clock.pause, clock.now)


def test_a_burst_is_spread_over_seconds() -> None:
    redis, clock = FakeRedis(), Clock()
    send(redis, clock, 2 * MOST_A_SECOND + 1)

    assert clock.pauses == [0.75, 1.0]


def test_chats_do_not_wait_for_each_other() -> None:
    redis, clock = FakeRedis(), Clock()
    send(redis, clock, MOST_A_SECOND)
    send(redis, clock, MOST_A_SECOND, "oc_b")

    assert clock.pauses == []


def test_who_waits_too_long_is_tried_again_later() -> None:
    redis, clock = FakeRedis(), Clock()
    for ahead in range(5):
        other = Clock()
        other.at += ahead
        send(redis, other, MOST_A_SECOND)

    with pytest.raises(FeishuUnavailable) as caught:
        send(redis, clock, 1)
    assert caught.value.retry_after_s == 1.0
    assert len(clock.pauses) == 3
