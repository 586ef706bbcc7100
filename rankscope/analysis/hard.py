"""Evidence that needs no stack: stopped, dead, missing, undumped, or locked out by a thread."""

from collections.abc import Iterable

from rankscope.analysis.findings import Accusation, Cause
from rankscope.analysis.positions import DEAD, NO_DUMP, STOPPED
from rankscope.analysis.sides import Sides
from rankscope.analysis.views import RankView

SCORES: dict[Cause, float] = {
    "stopped": 0.97,
    "dead": 0.95,
    "vanished": 0.9,
    "gil": 0.85,
    "missing": 0.8,
    "uninterruptible": 0.7,
    "no_dump": 0.6,
    "silent_node": 0.5,
}
GIL_ONCE = 0.45
_MISHAPS = frozenset(
    {"budget", "deleted", "failed", "forbidden", "no_py_spy", "not_python", "unsupported"}
)
"""Reasons of docs/agent-api.md for a missing stack that lie with the tool."""
BLOCKED_WITHOUT_DUMP = 0.82


def hard_evidence(sides: Sides) -> list[Accusation]:
    """Return the ranks that something other than their main thread's stack accuses.

    Somebody must wait for them: a zombie beside a job that moves is left over, not guilty.
    """
    if not sides.waiting or sides.movement.waiters_moved:
        return []
    return [
        *_ended(sides.scene.views),
        *_few(_stopped(sides.unreachable), len(sides.live)),
        *_few(_locked_out(sides), len(sides.live)),
        *_few(_uninterruptible(sides.waiting), len(sides.live)),
        *_missing(sides),
    ]


def undumped(sides: Sides) -> list[Accusation]:
    """Return the few ranks without a stack; they count when nothing else explains the waiting.

    A dump may fail by chance, so that a rank which is plainly stuck comes first.
    """
    if not sides.waiting or sides.movement.waiters_moved:
        return []
    without = [v for v in sides.unreachable if v.last.family == NO_DUMP and not _is_mishap(v)]
    if len(without) > sides.few:
        return []
    return [
        Accusation(
            view.rank,
            view.node,
            "no_dump",
            BLOCKED_WITHOUT_DUMP if view.last.state == "D" else SCORES["no_dump"],
            view,
        )
        for view in without
    ]


def _is_mishap(view: RankView) -> bool:
    """Whether the tool failed on a process that the kernel shows alive, awake or asleep."""
    alive = view.last.state in {"R", "S", "I"}
    return alive and view.last.error.partition(":")[0] in _MISHAPS


def _few(accused: list[Accusation], others: int) -> list[Accusation]:
    """Keep evidence that is rarer than its absence; what all ranks share accuses nobody."""
    return accused if len(accused) < others else []


def _ended(views: Iterable[RankView]) -> list[Accusation]:
    found = []
    for view in views:
        if view.last.family == DEAD:
            found.append(Accusation(view.rank, view.node, "dead", SCORES["dead"], view))
        elif view.has_vanished:
            found.append(Accusation(view.rank, view.node, "vanished", SCORES["vanished"], view))
    return found


def _stopped(unreachable: Iterable[RankView]) -> list[Accusation]:
    return [
        Accusation(view.rank, view.node, "stopped", SCORES["stopped"], view)
        for view in unreachable
        if view.last.family == STOPPED
    ]


def _locked_out(sides: Sides) -> list[Accusation]:
    """Return ranks of which a helper thread keeps Python's global lock in every sample."""
    found = []
    for view in sides.live:
        holders = [position.gil_holder for position in view.positions]
        steps = {holder.stack.steps[-1:] if holder else None for holder in holders}
        # Who may not take the lock cannot move; a main thread that did is not locked out.
        if None in steps or len(steps) != 1 or not view.is_in_same_site:
            continue
        score = SCORES["gil"] if len(holders) > 1 else GIL_ONCE
        found.append(Accusation(view.rank, view.node, "gil", score, view))
    # One moment alone catches threads of healthy ranks too; then only a lone rank is telling.
    if all(accusation.score == GIL_ONCE for accusation in found):
        return found if len(found) == 1 and not sides.free else []
    return found


def _uninterruptible(waiting: Iterable[RankView]) -> list[Accusation]:
    return [
        Accusation(view.rank, view.node, "uninterruptible", SCORES["uninterruptible"], view)
        for view in waiting
        if len(view.positions) > 1 and view.trail.is_uninterruptible
    ]


def _missing(sides: Sides) -> list[Accusation]:
    """Return ranks that the job has and nobody saw, if nearly everybody else is there waiting."""
    scene, missing = sides.scene, sides.scene.missing
    if not missing or sides.free or not scene.views:
        return []
    total = len(scene.views) + len(missing)
    nodes = sorted(scene.silent_nodes)
    if nodes:
        # A silent agent is a weaker sign than an absent process on a node that answers.
        node = nodes[0] if len(nodes) == 1 else ""
        enough = len(missing) <= total / 3
        return _unseen(missing, node, "silent_node") if enough else []
    # One rank alone is no witness: the other one may be on a node without an agent.
    few = len(missing) <= total // 4 or len(missing) == 1 < len(scene.views)
    return _unseen(missing, _home(scene.views, missing), "missing") if few else []


def _home(views: Iterable[RankView], missing: tuple[int, ...]) -> str:
    """Return the node that missing ranks should be on: that of their nearest neighbour."""
    nearest = min(views, key=lambda view: min(abs(view.rank - rank) for rank in missing))
    return nearest.node


def _unseen(ranks: tuple[int, ...], node: str, cause: Cause) -> list[Accusation]:
    return [Accusation(rank, node, cause, SCORES[cause]) for rank in ranks]
