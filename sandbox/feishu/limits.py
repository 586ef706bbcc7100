"""Frequency limits, as sliding windows over the emulator's clock.

Source: the pages of each call and of frequency control: 50 per second and 1000 per minute for one
app and call, 5 per second for one chat, for updates of one message and for pins of one message.
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Final

from sandbox.feishu.clock import Clock
from sandbox.feishu.codes import ApiError


@dataclass(frozen=True, slots=True)
class Rate:
    """At most this many in this many seconds, and the code of a refusal."""

    most: int
    seconds: float
    code: int


APP_SECOND: Final = Rate(50, 1.0, 99991400)
APP_MINUTE: Final = Rate(1000, 60.0, 99991400)
CHAT: Final = Rate(5, 1.0, 230020)
UPDATE: Final = Rate(5, 1.0, 230020)
PIN: Final = Rate(5, 1.0, 230047)


class Limits:
    """Counts what was accepted for each rate and subject."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._accepted: dict[tuple[Rate, str], deque[float]] = defaultdict(deque)

    def take(self, rate: Rate, subject: str) -> None:
        """Count one operation on a subject; raises ApiError when the rate is used up."""
        now, accepted = self._clock.now(), self._accepted[rate, subject]
        while accepted and now - accepted[0] >= rate.seconds:
            accepted.popleft()
        if len(accepted) >= rate.most:
            raise ApiError(rate.code, retry_after_s=rate.seconds - (now - accepted[0]))
        accepted.append(now)
