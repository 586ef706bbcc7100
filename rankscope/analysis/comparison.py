"""Two captures of one job, rank by rank."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from rankscope.analysis.collecting import no_cycles
from rankscope.analysis.comparison_groups import compared_groups
from rankscope.analysis.comparison_text import comparison_text
from rankscope.analysis.comparison_threads import compared_threads, place_of
from rankscope.analysis.missing import MOST_UNSEEN, why_unseen
from rankscope.analysis.positions import DEAD, STOPPED
from rankscope.analysis.rules import default_rules
from rankscope.analysis.scene import Scene, scene_of
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.trainers import Member
from rankscope.analysis.views import RankView
from rankscope.analysis.words import tell
from rankscope.model.capture import Capture
from rankscope.model.report import Comparison, RankChange, RankComparison
from rankscope.model.text import Text


@dataclass(frozen=True)
class _Side:
    """One of the two captures, rank by rank."""

    scene: Scene

    @cached_property
    def views(self) -> dict[int, RankView]:
        return {view.rank: view for view in self.scene.views}

    @cached_property
    def trainers(self) -> dict[int, Member]:
        """The newest process of every rank."""
        found: dict[int, Member] = {}
        for cast in self.scene.casts:
            found |= cast.trainers
        return found

    @cached_property
    def missing(self) -> frozenset[int]:
        return frozenset(self.scene.missing[:MOST_UNSEEN])

    def with_stack(self, rank: int) -> RankView | None:
        """Return the rank's view if it lives and has a stack."""
        view = self.views.get(rank)
        usable = view and view.stack and view.last.family != DEAD and not view.has_vanished
        return view if usable else None


@no_cycles()
def compare(before: Capture, after: Capture) -> Comparison:
    """Return what changed from one capture to a later one.

    A rank is frozen when its newest stacks show the same calls, line by line but for the lines
    inside libraries. It is new or gone when its process was, or is, not there; a rank of which
    only the stack is lacking is `unknown`, with the reason.
    """
    reader = StackReader(default_rules())
    old, new = (_Side(scene_of(capture, reader)) for capture in (before, after))
    ranks = tuple(_ranks(old, new, reader))
    groups = compared_groups(_usable(old), _usable(new))
    return Comparison(
        job_id=after.header.job_id,
        before=before.header.print_id,
        after=after.header.print_id,
        ranks=ranks,
        text=comparison_text(before, after, ranks, groups, _usable(new)),
        groups=groups,
    )


def _usable(side: _Side) -> dict[int, RankView]:
    return {rank: view for rank in side.views if (view := side.with_stack(rank))}


def _ranks(old: _Side, new: _Side, reader: StackReader) -> Iterator[RankComparison]:
    known = old.views.keys() | new.views.keys() | (old.missing & new.missing)
    for rank in sorted(known):
        before, after = old.with_stack(rank), new.with_stack(rank)
        view = new.views.get(rank) or old.views.get(rank)
        change, reason = _change(rank, old, new)
        yield RankComparison(
            rank=rank,
            node=view.node if view else "",
            change=change,
            before=place_of(before.stack) if before else "",
            after=place_of(after.stack) if after else "",
            reason=reason,
            threads=(
                compared_threads(old.trainers[rank].process, new.trainers[rank].process, reader)
                if before and after
                else ()
            ),
        )


def _change(rank: int, old: _Side, new: _Side) -> tuple[RankChange, Text | None]:
    before, after = old.with_stack(rank), new.with_stack(rank)
    if before and after:
        return _moved(rank, before, after, old, new)
    if before and not after:
        left = _has_left(rank, new)
        return "gone" if left else "unknown", _why(rank, new, "after")
    if after and not before:
        came = rank not in old.views and not old.scene.silent_nodes
        return "new" if came else "unknown", _why(rank, old, "before")
    one, other = _why(rank, old, "before"), _why(rank, new, "after")
    return "unknown", Text(f"{one.zh}；{other.zh}", f"{one.en}; {other.en}")


def _has_left(rank: int, new: _Side) -> bool:
    """Whether a rank's process is not there any more, on a node that answers."""
    view = new.views.get(rank)
    if view:
        return view.last.family == DEAD or view.has_vanished
    return not new.scene.silent_nodes


def _moved(
    rank: int, before: RankView, after: RankView, old: _Side, new: _Side
) -> tuple[RankChange, Text | None]:
    one, other = old.trainers[rank].process, new.trainers[rank].process
    if before.node == after.node and 0 < one.pid != other.pid > 0:
        return "moved", tell("analysis-compare-restarted")
    a, b = before.stack, after.stack
    if a is None or b is None:
        return "unknown", None
    is_same = a.functions == b.functions and a.program == b.program
    return "frozen" if is_same else "moved", None


def _why(rank: int, side: _Side, when: str) -> Text:
    """Say why a rank has no stack in a capture."""
    view = side.views.get(rank)
    if view is None:
        reason = why_unseen(side.scene, seen_helpers=rank in side.scene.helper_only)
    elif view.has_vanished:
        reason = tell("analysis-missing-vanished")
    elif view.last.error:
        reason = Text(view.last.error, view.last.error)
    else:
        known = {DEAD: "analysis-at-dead", STOPPED: "analysis-at-stopped"}
        reason = tell(known.get(view.last.family, "analysis-missing-no-stack"))
    return tell(f"analysis-compare-why-{when}", reason=reason)
