"""What moved between the samples, rank by rank and as a whole."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from rankscope.analysis.stacks import Stack, Step
from rankscope.analysis.views import RankView
from rankscope.model.report import Progress

Persistence = Literal["identical", "same_phase", "moved", "unknown"]

# One dump in a hundred of a busy process may be torn, so a few of very many prove no progress.
TORN_SHARE = 0.02
ARRIVED, ARRIVED_SHARE = 2, 0.25
"""So many ranks, and more than this share, do not begin to wait between two samples by chance."""


@dataclass(frozen=True, slots=True)
class Movement:
    """Which waiting ranks went on between the samples, and the conclusion."""

    is_known: bool
    waiters_moved: bool

    def progress(self, others_moved: bool) -> Progress:
        """Return the progress of the job; others_moved: ranks that wait for nobody went on."""
        if not self.is_known:
            return "unknown"
        return "moving" if self.waiters_moved or others_moved else "frozen"


def movement_of(views: Iterable[RankView]) -> Movement:
    """Return what moved: a rank that left the operation it waited in proves progress.

    So it does when most of the waiting ranks used a CPU in between: each sample caught them in
    another call of the same operation.
    """
    twice = [view for view in views if view.is_sampled_twice]
    waited = [view for view in twice if view.first.waits]
    moved = sum(view.trail.has_returned for view in waited)
    awake = sum(view.got_on_asleep for view in waited)
    went_on = moved > TORN_SHARE * len(waited) or awake > len(waited) / 2
    return Movement(bool(twice), went_on or _many_arrived(twice))


def _many_arrived(twice: Sequence[RankView]) -> bool:
    """Whether many ranks came to a wait between the samples; in a hung job they were there."""
    arrived = sum(
        not view.first.waits and view.last.waits and not view.is_in_same_site for view in twice
    )
    return arrived >= ARRIVED and arrived > len(twice) * ARRIVED_SHARE


def persistence_of(view: RankView, majority: Stack | None) -> Persistence:
    """Return how far a rank that waits for nobody stayed where it was.

    `same_phase`: below the function in which it parts from the waiting majority, both samples
    still share a function; it may loop there or work slowly.
    """
    if not view.is_sampled_twice:
        return "unknown"
    if view.is_identical:
        return "identical"
    before, after = view.first.stack, view.last.stack
    if before is None or after is None:
        return "unknown"
    split = common_steps(after.steps, majority.steps) if majority else 0
    return "same_phase" if _common_phase(before, after) > split else "moved"


def common_steps(one: tuple[Step, ...], other: tuple[Step, ...]) -> int:
    """Return how many functions two ranks share, counted from the outermost."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _common_phase(before: Stack, after: Stack) -> int:
    count = 0
    for a, b in zip(before.program, after.program, strict=False):
        if a[:2] != b[:2]:
            return count
        count += 1
        if a != b:
            return count
    return count


def is_lively(waiting: Iterable[RankView]) -> bool:
    """Whether of the ranks at one place some sleep and some run, as in a job that moves.

    A stuck CPU collective sleeps on every rank, and a stuck GPU collective spins on every rank.
    """
    states: dict[tuple[object, ...], set[str]] = {}
    for view in waiting:
        states.setdefault(view.last.site, set()).add(view.last.state)
    return any("S" in found and found & {"R", "D"} for found in states.values())
