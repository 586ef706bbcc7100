"""The ranks that the others wait for and that wait for nobody themselves."""

from rankscope.analysis.aside import gets_on, is_aside, is_guarded
from rankscope.analysis.findings import Accusation, Cause
from rankscope.analysis.kernel import Wait
from rankscope.analysis.movement import Persistence, is_lively
from rankscope.analysis.positions import USER
from rankscope.analysis.sides import Sides
from rankscope.analysis.views import AWAKE_SHARE, RankView
from rankscope.model.capture import Trigger

# How much a rank's behaviour over the samples proves; the words for it are in docs/patterns.md.
BLOCKED, LOOPING, WORKING, HUNG, SLOW = 0.92, 0.62, 0.6, 0.52, 0.42
ONCE_BLOCKED, ONCE_ASLEEP, ONCE_UNKNOWN = 0.65, 0.55, 0.4
COMPILING = 0.45
"""Compilation may take minutes on one rank; that alone is little."""
ASIDE = 0.45
"""One rank alone evaluates, saves or logs; that may take minutes too."""
GUESSED, SMALL_SUPPORT = 0.7, 0.85
WITNESSES = 4
"""Fewer ranks that wait in one sample may do so by chance."""
NEARLY_ALL = 0.75
MANY = 7
"""So many ranks waiting for one in two samples are no chance."""
_TELLING: frozenset[Wait] = frozenset({"pipe", "fifo", "socket", "storage", "sleep", "child"})


def waited_for(sides: Sides) -> list[Accusation]:
    """Return the free ranks that hold up the waiting ones; empty when nobody does for sure."""
    if not sides.waiting or not sides.free:
        return []
    if not sides.movement.is_known:
        return _at_one_moment(sides)
    if _goes_on(sides):
        return []
    return _straggling(sides) if sides.movement.waiters_moved else _frozen(sides)


def _goes_on(sides: Sides) -> bool:
    """Whether the job goes on, so that where ranks were in both samples is chance.

    Most ranks compute and some went on, or the job is known to be slow.
    """
    if sides.scene.capture.header.trigger is Trigger.SLOW:
        return len(sides.free) > 1  # Steps end: two samples tell only of a rank that is alone.
    moves = set(sides.persistence.values()) & {"moved", "same_phase"}
    return bool(moves) and sides.waiting_share < 0.5


def _frozen(sides: Sides) -> list[Accusation]:
    """Return free ranks that stayed where they were while the others kept waiting."""
    found = []
    for view in sides.free:
        score = 0.0 if sides.is_passed(view) else _score(sides, view)
        if score:
            cause: Cause = "working" if view.is_working else "waited_for"
            found.append(Accusation(view.rank, view.node, cause, _weighed(sides, score), view))
    busy = [accusation for accusation in found if accusation.cause == "working"]
    if len(busy) > sides.few:
        found = [accusation for accusation in found if accusation.cause == "waited_for"]
    return found


def _score(sides: Sides, view: RankView) -> float:
    persistence = sides.persistence[view.rank]
    if persistence == "unknown":
        return 0.0 if view.is_working else ONCE_ASLEEP
    if sides.is_guessed and not _is_telling(view) and not _stands_alone(sides, view):
        return 0.0
    if view.last.family == "compile":
        return 0.0 if view.is_working else COMPILING
    if persistence == "identical":
        return _score_of_standing(sides, view)
    return _score_of_moving(sides, view, persistence)


def _stands_alone(sides: Sides, view: RankView) -> bool:
    """Whether few ranks stand elsewhere while nearly all others sleep at one place.

    One that used some of a CPU got on, unless it computed all the time.
    """
    if sides.persistence[view.rank] != "identical" or sides.waiting_share < NEARLY_ALL:
        return False
    return view.is_working or (view.cpu_share or 0) <= AWAKE_SHARE


def _score_of_standing(sides: Sides, view: RankView) -> float:
    """Score a rank at one place in all samples; one that gets on in its own section is normal."""
    trigger = sides.scene.capture.header.trigger
    if view.is_working:
        return 0.0 if is_aside(view, sides.majority) else WORKING
    if view.last.family == "debugger" or not is_aside(view, sides.majority):
        return BLOCKED
    if gets_on(view) or (view.last.wait == "sleep" and trigger is not Trigger.HANG):
        return 0.0  # Who sleeps for a time, between the parts of a checkpoint say, wakes again.
    if view.cpu_share is not None or view.last.wait != "storage":
        return BLOCKED
    return HUNG if trigger is Trigger.HANG else ASIDE


def _score_of_moving(sides: Sides, view: RankView, persistence: Persistence) -> float:
    """Score a rank that moves while the others stand: slow or looping, or only at its turn."""
    if is_aside(view, sides.majority):
        return 0.0
    trigger = sides.scene.capture.header.trigger
    if persistence == "moved":
        # In a job that is known to be slow, the one rank that works in both samples is slow.
        alone = len(sides.free) == 1 and len(sides.waiting) >= MANY and not view.first.waits
        return SLOW if trigger is Trigger.SLOW and alone else 0.0
    if not view.is_working:
        return LOOPING
    return HUNG if trigger is Trigger.HANG else SLOW


def _straggling(sides: Sides) -> list[Accusation]:
    """Return a rank that computes at one place in both samples while all others wait in both."""
    if len(sides.free) > sides.few or len(sides.waiting) < 3:
        return []
    if not all(view.first.waits and view.last.waits for view in sides.waiting):
        return []
    if not all(_is_slow(sides, v) and not sides.is_passed(v) for v in sides.free):
        return []
    return [Accusation(v.rank, v.node, "working", SLOW, v) for v in sides.free]


def _is_slow(sides: Sides, view: RankView) -> bool:
    if sides.scene.capture.header.trigger is Trigger.SLOW:
        return not view.first.waits and not is_aside(view, sides.majority)
    allowed = {"identical", "same_phase"} if len(sides.waiting) >= MANY else {"identical"}
    return (
        not view.first.waits
        and all(position.is_running for position in view.positions)
        and sides.persistence[view.rank] in allowed
        and not is_aside(view, sides.majority)
    )


def _at_one_moment(sides: Sides) -> list[Accusation]:
    """Return the free ranks of a single sample that are blocked, or else the few odd ones."""
    if is_lively(sides.waiting) or _is_only_slow(sides):
        return []
    if sides.waiting_share < 0.5:
        return _blocked_majority(sides)
    if _any_aside(sides) or _proves_little(sides):
        return []
    blocked = [view for view in sides.free if _is_telling(view)]
    asleep = [view for view in sides.free if _is_asleep(view) and view not in blocked]
    if len(blocked) + len(asleep) > sides.few:
        asleep = []
    if blocked or asleep:
        found = [_once(sides, view, ONCE_BLOCKED) for view in blocked]
        return found + [_once(sides, view, ONCE_ASLEEP) for view in asleep]
    places = {view.last.site for view in sides.free}
    if sides.waiting_share < NEARLY_ALL or len(places) > 1 or _may_be_chance(sides):
        return []
    return [_once(sides, view, ONCE_UNKNOWN) for view in sides.free]


def _is_only_slow(sides: Sides) -> bool:
    """Whether one moment of a job that is known to be slow shows more than one rank held up."""
    if sides.scene.capture.header.trigger is not Trigger.SLOW:
        return False
    alone = len(sides.free) == 1 and len(sides.waiting) >= MANY
    return not (alone and _is_telling(sides.free[0]))


def _proves_little(sides: Sides) -> bool:
    """Whether too few wait, or too many compute, to tell one moment of a hang from usual work.

    In a job that hangs nobody computes but its culprits. After a hang alert this is not asked.
    """
    if sides.scene.capture.header.trigger is Trigger.HANG:
        return False
    working = sum(view.is_working for view in sides.free)
    if working > 1 + sides.few // 2:
        return True
    return len(sides.waiting) < WITNESSES and not _is_plain(sides)


def _is_plain(sides: Sides) -> bool:
    """Whether one rank is held up, and the three others of a small job wait in one operation."""
    sites = {view.last.site for view in sides.waiting}
    return (
        len(sides.waiting) == WITNESSES - 1
        and len(sites) == len(sides.free) == 1
        and all(_is_telling(view) or _is_asleep(view) for view in sides.free)
    )


def _any_aside(sides: Sides) -> bool:
    """Whether one moment may just show the section of one rank.

    After a hang alert a rank that is blocked in its section is not taken for getting on.
    """
    is_hang = sides.scene.capture.header.trigger is Trigger.HANG
    return any(
        is_aside(view, sides.majority)
        if view.is_working
        else not is_hang and is_guarded(view, sides.majority)
        for view in sides.free
    )


def _may_be_chance(sides: Sides) -> bool:
    """Whether the free ranks compute: one moment of any job that is well shows some that do."""
    is_hang = sides.scene.capture.header.trigger is Trigger.HANG
    return not is_hang and any(view.is_working for view in sides.free)


def _blocked_majority(sides: Sides) -> list[Accusation]:
    """Return more than half of the ranks when all are blocked at one and the same place."""
    places = {view.last.site for view in sides.free}
    if len(places) > 1 or not all(_is_telling(v) and v.last.wait != "sleep" for v in sides.free):
        return []
    return [_once(sides, view, ONCE_UNKNOWN) for view in sides.free]


def _is_asleep(view: RankView) -> bool:
    last = view.last
    return last.state == "S" and bool(last.wait) and not (last.owns_gil or last.is_active)


def _is_telling(view: RankView) -> bool:
    """Whether family or kernel say that the rank is held up, rather than between two steps."""
    if view.is_working or view.last.owns_gil:
        return False
    return view.last.family not in {USER, "backward"} or view.last.wait in _TELLING


def _once(sides: Sides, view: RankView, score: float) -> Accusation:
    if sides.scene.capture.header.trigger is Trigger.SLOW:
        score = min(score, SLOW)
    if is_guarded(view, sides.majority):
        score = min(score, ONCE_UNKNOWN)
    return Accusation(view.rank, view.node, "waited_for", _weighed(sides, score), view)


def _weighed(sides: Sides, score: float) -> float:
    if sides.is_guessed:
        score *= GUESSED
    return round(score * (1 if sides.waiting_share >= 0.5 else SMALL_SUPPORT), 2)
