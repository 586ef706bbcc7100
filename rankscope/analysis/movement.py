"""What moved between the samples, rank by rank and as a whole."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rankscope.analysis.stacks import Stack, Step
from rankscope.analysis.views import RankView
from rankscope.model.report import Progress

Persistence = Literal["identical", "same_phase", "moved", "unknown"]

# One dump in a hundred of a busy process may be torn, so a few of very many prove no progress.
TORN_SHARE = 0.02


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
    """Return what moved: a rank that left the operation it waited in proves progress."""
    twice = [view for view in views if view.is_sampled_twice]
    waited = [view for view in twice if view.first.waits]
    moved = sum(not view.is_in_same_site for view in waited)
    return Movement(bool(twice), moved > TORN_SHARE * len(waited))


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
