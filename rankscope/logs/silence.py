"""Whether a log has been silent for too long.

A job counts as hanging when no step has ended for longer than three times the 95th percentile of
the last 50 intervals between steps, and longer than a floor. Three times the usual is what Unicron
(arXiv 2401.00134) waits; the percentile instead of the mean keeps jobs with uneven steps quiet, the
floor those with quick ones. All times are seconds of one clock, which the caller reads.
"""

import math
from collections import deque
from collections.abc import Sequence
from itertools import islice

FACTOR = 3.0
PERCENTILE = 0.95
REMEMBERED = 50
FLOOR_S = 60.0


class Silence:
    """Learns a job's rhythm from its steps; before the first step nothing is too long."""

    def __init__(self, floor_s: float = FLOOR_S) -> None:
        self._floor_s = floor_s
        self._intervals: deque[float] = deque(maxlen=REMEMBERED)
        self._last: float | None = None
        self._alive = 0.0
        self.last = 0.0
        """When something was heard last, in the caller's clock; 0 before the first step."""

    def set_floor(self, floor_s: float) -> None:
        """Change the floor; what was learned stays."""
        self._floor_s = floor_s

    def heard(self, now: float, expected_s: float = 0.0, *, regular: bool = True) -> None:
        """Take note that a step has ended.

        expected_s is how long it took by its own account, which counts when old lines are read at
        once. A step that ends a hang is not regular: the limit stays what it was.
        """
        if self._last is not None:
            expected_s = max(now - self._last, expected_s)
        elif not expected_s:
            regular = False
        if regular:
            self._intervals.append(expected_s)
        self._last = now
        self.last = max(now, self._alive)

    def heard_all(self, now: float, expected_s: Sequence[float]) -> None:
        """Take note of steps that have ended since, whose lines were read at once."""
        self.heard(now, expected_s[0])
        more = islice(expected_s, max(1, len(expected_s) - REMEMBERED), None)
        self._intervals.extend(max(0.0, one) for one in more)

    def alive(self, now: float) -> None:
        """Take note of another sign of life, which tells nothing of the rhythm."""
        self._alive = max(self._alive, now)
        self.last = max(self._last or 0.0, self._alive)

    @property
    def limit_s(self) -> float:
        """How long a silence may be."""
        if not self._intervals:
            return self._floor_s
        return max(FACTOR * percentile(self._intervals, PERCENTILE), self._floor_s)

    def lasts_s(self, now: float) -> float:
        """Return how long nothing was heard, 0 before the first step."""
        return 0.0 if self._last is None else now - self._last

    def is_too_long(self, now: float) -> bool:
        """Whether the job has given no sign of life for longer than the limit."""
        return self._last is not None and now - max(self._last, self._alive) > self.limit_s


def percentile(values: deque[float], share: float) -> float:
    """Return the smallest value that is not exceeded by a share of them (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
