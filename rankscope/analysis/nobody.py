"""What a capture looks like when nobody can be named."""

from rankscope.analysis.aside import is_aside
from rankscope.analysis.positions import DEAD, NO_DUMP, STOPPED
from rankscope.analysis.sides import Sides
from rankscope.analysis.views import RankView
from rankscope.model.report import Confidence, Progress

_COMMUNICATION = frozenset({"collective", "p2p", "backward", "device_sync"})
_WAITING = frozenset({"lock_queue", "network", "sleep"})
_ALL_UNREACHABLE = {STOPPED: "all_stopped", DEAD: "all_dead", NO_DUMP: "no_stacks"}


def pattern_of_nobody(sides: Sides, progress: Progress) -> tuple[str, Confidence]:
    """Return a stable pattern name and how sure it is."""
    scene = sides.scene
    if not scene.views:
        return ("idle_helpers", "medium") if scene.helper_only else ("no_ranks", "high")
    if not sides.live:
        return _ALL_UNREACHABLE[scene.views[0].last.family], "medium"
    if progress == "moving":
        awaited = sides.waiting and not sides.movement.waiters_moved
        few = len(sides.free) <= sides.few
        return ("working", "medium") if awaited and few else ("moving", "high")
    if not _is_aside(sides) and _are_alike(sides.live):
        return _alike(sides.live[0]), "medium" if progress == "frozen" else "low"
    return _standing(sides), "low"


def _standing(sides: Sides) -> str:
    if not sides.free:
        return "unclear" if sides.is_guessed else _all_waiting(sides)
    return "aside" if _is_aside(sides) else "unclear"


def _is_aside(sides: Sides) -> bool:
    """Whether the others wait for a few that are in a section of their own."""
    few = 0 < len(sides.free) <= sides.few and bool(sides.waiting)
    return few and all(is_aside(view, sides.majority) for view in sides.free)


def _all_waiting(sides: Sides) -> str:
    families = {view.last.family for view in sides.waiting}
    if families == {"start_up"}:
        return "start_up"
    return "mixed_waiting"


def _are_alike(views: tuple[RankView, ...]) -> bool:
    first = views[0]
    if first.waits:
        return all(view.last.site == first.last.site for view in views)
    functions = {v.stack.functions if v.stack and not v.waits else None for v in views}
    return len(functions) == 1 and None not in functions


def _alike(view: RankView) -> str:
    family = view.last.family
    if family in _COMMUNICATION:
        return "all_in_communication"
    if family in _WAITING or view.last.wait == "sleep":
        return "all_waiting"
    known = {"storage", "data", "compile", "start_up", "build_lock", "serving_idle", "debugger"}
    return f"all_in_{family}" if family in known else "all_in_program"
