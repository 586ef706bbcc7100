"""What each rank did over the samples of a capture."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import msgspec

from rankscope.analysis.positions import DEAD, STOPPED, Position
from rankscope.analysis.stacks import Stack
from rankscope.analysis.trainers import Member

# A clock tick is 10 ms on Linux (USER_HZ); a thread that was on a CPU for more than half of the
# time between two samples works, whatever state it was caught in.
TICKS_PER_SECOND = 100
WORKING_SHARE = 0.5
AWAKE_SHARE = 0.05
"""Waiting with a look now and then, as blocking waits of NCCL do, costs a hundredth of a CPU."""


@dataclass(frozen=True)
class Trail:
    """The positions of a trainer, oldest first, at least one; ranks that did the same share it."""

    positions: tuple[Position, ...]

    @cached_property
    def last(self) -> Position:
        """The newest position; one with a stack stands for one without, but not for a stop."""
        newest = self.positions[-1]
        if newest.family in {STOPPED, DEAD}:
            return newest
        return self.usable[-1] if self.usable else newest

    @cached_property
    def first(self) -> Position:
        """The oldest position with a stack, else the oldest."""
        return self.usable[0] if self.usable else self.positions[0]

    @cached_property
    def usable(self) -> tuple[Position, ...]:
        """The positions with a stack to reason from."""
        return tuple(p for p in self.positions if p.stack and not p.is_unreachable)

    @cached_property
    def is_in_same_site(self) -> bool:
        """Whether first and last sample show the same operation, called from the same place."""
        before, after = self.first.stack, self.last.stack
        return bool(before and after and before.site == after.site)

    @cached_property
    def has_returned(self) -> bool:
        """Whether the first sample's operation came to its end: it, or what called it, is another.

        A line further out changes only when all that was called there has returned.
        """
        before, after = self.first.stack, self.last.stack
        if not self.is_in_same_site or before is None or after is None:
            return True
        return before.callers != after.callers

    @cached_property
    def is_identical(self) -> bool:
        """Whether every sample shows the same stack, line by line."""
        stacks = [position.stack for position in self.usable]
        return all(a and b and a.places == b.places for a, b in pairwise(stacks))

    @cached_property
    def was_running(self) -> bool:
        """Whether a sample caught the thread running."""
        return any(position.is_running for position in self.positions)

    @cached_property
    def is_uninterruptible(self) -> bool:
        """Whether every sample caught the thread in D."""
        return all(position.state == "D" for position in self.positions)

    @cached_property
    def was_asleep(self) -> bool:
        """Whether every sample that shows a stack caught the thread asleep."""
        return all(position.state == "S" for position in self.usable)


class RankView(msgspec.Struct, frozen=True, gc=False):
    """One rank with the positions of its trainer, oldest first, at least one.

    cpu_share: the share of one CPU that the thread used between first and last sample, if known.
    has_vanished: its node answered in the last sample, but the trainer was no longer there.
    """

    rank: int
    node: str
    trail: Trail
    cpu_share: float | None = None
    helpers: tuple[Member, ...] = ()
    has_vanished: bool = False

    @property
    def positions(self) -> tuple[Position, ...]:
        """The positions, oldest first."""
        return self.trail.positions

    @property
    def last(self) -> Position:
        """The newest position; see Trail."""
        return self.trail.last

    @property
    def first(self) -> Position:
        """The oldest position; see Trail."""
        return self.trail.first

    @property
    def is_sampled_twice(self) -> bool:
        """Whether two positions with a stack can be compared."""
        return len(self.trail.usable) > 1

    @property
    def is_working(self) -> bool:
        """Whether the thread used a CPU: by its clock between the samples, else caught running."""
        share = self.cpu_share
        return self.trail.was_running if share is None else share > WORKING_SHARE

    @property
    def waits(self) -> bool:
        """Whether the rank waits for others; one that computes backward all the time does not."""
        share = self.cpu_share or 0
        if self.last.waits:
            return not (self.last.family == "backward" and share > WORKING_SHARE)
        return self.is_in_same_site and self.first.waits and not share > WORKING_SHARE

    @property
    def got_on_asleep(self) -> bool:
        """Whether its thread used a CPU although every sample caught it asleep.

        A thread that sleeps until others come uses none, and one that polls is caught running.
        """
        return self.trail.was_asleep and (self.cpu_share or 0) > AWAKE_SHARE

    @property
    def is_in_same_site(self) -> bool:
        """Whether first and last sample show the same operation, called from the same place."""
        return self.trail.is_in_same_site

    @property
    def is_identical(self) -> bool:
        """Whether every sample shows the same stack, line by line."""
        return self.trail.is_identical

    @property
    def is_at_program_leaf(self) -> bool:
        """Whether the innermost Python frame is the program's own, not a library's."""
        stack = self.stack
        return bool(stack and stack.program and stack.places[:1] == stack.program[-1:])

    @property
    def stack(self) -> Stack | None:
        """The newest stack."""
        return self.last.stack


def cpu_share(ticks: Iterable[int | None], seconds: float | None) -> float | None:
    """Return the share of one CPU used between first and last sample, if known."""
    if not seconds or seconds <= 0:
        return None
    known = [count for count in ticks if count is not None]
    if len(known) < 2:
        return None
    return max(0, known[-1] - known[0]) / TICKS_PER_SECOND / seconds
