"""Who waits for other ranks, who does not, and who cannot be judged."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rankscope.analysis.handles import at_handles
from rankscope.analysis.kernel import Wait
from rankscope.analysis.movement import Movement, Persistence, movement_of, persistence_of
from rankscope.analysis.positions import USER
from rankscope.analysis.scene import Scene
from rankscope.analysis.stacks import Stack
from rankscope.analysis.views import RankView

_UNDECIDED: frozenset[Wait] = frozenset({"", "lock", "poll"})


@dataclass(frozen=True)
class Sides:
    """The ranks of a capture by what they do.

    waiting wait for others, free wait for nobody, unreachable are stopped, dead or without a dump.
    is_guessed: the waiting side was recognised only because most ranks sleep at one place.
    """

    scene: Scene
    waiting: tuple[RankView, ...]
    free: tuple[RankView, ...]
    unreachable: tuple[RankView, ...]
    is_guessed: bool = False

    @cached_property
    def movement(self) -> Movement:
        """What moved between the samples."""
        return movement_of(self.live)

    @cached_property
    def live(self) -> tuple[RankView, ...]:
        """All ranks with a usable stack."""
        return (*self.waiting, *self.free)

    @property
    def few(self) -> int:
        """How many ranks are few: a quarter of all, at least one."""
        return max(1, len(self.scene.views) // 4)

    @cached_property
    def majority(self) -> Stack | None:
        """The stack at which most of the waiting ranks wait."""
        sites = Counter(view.last.site for view in self.waiting)
        if not sites:
            return None
        site = sites.most_common(1)[0][0]
        return next(view.stack for view in self.waiting if view.last.site == site)

    @cached_property
    def persistence(self) -> dict[int, Persistence]:
        """How far each free rank stayed where it was."""
        return {view.rank: persistence_of(view, self.majority) for view in self.free}

    @cached_property
    def _passers(self) -> dict[tuple[object, ...], set[int]]:
        """The places of the program that ranks came to or left between the samples."""
        found: dict[tuple[object, ...], set[int]] = defaultdict(set)
        for view in self.live:
            if view.is_sampled_twice and not view.is_in_same_site:
                for position in (view.first, view.last):
                    if not position.waits:
                        found[position.site].add(view.rank)
        return found

    def is_passed(self, view: RankView) -> bool:
        """Whether another rank came to a rank's place, or left it, between the samples.

        Who is seen there in both was there twice, in two steps of a job that goes on.
        """
        return bool(self._passers.get(view.last.site, set()) - {view.rank})

    @property
    def waiting_share(self) -> float:
        """The share of the live ranks that wait for others."""
        return len(self.waiting) / len(self.live) if self.live else 0.0


def sides_of(scene: Scene) -> Sides:
    """Sort the ranks of a capture."""
    unreachable = tuple(view for view in scene.views if view.last.is_unreachable)
    live = [view for view in scene.views if not view.last.is_unreachable]
    waiting = [view for view in live if view.waits]
    free = [view for view in live if not view.waits]
    holders = _behind_a_lock(free)
    waiting += [*holders, *_leaving_together(free, len(live))]
    waiting += _spinning_in_collectives(free, len(live))
    free = _without(free, waiting)
    is_short = bool(unreachable or scene.missing)
    together = _asleep_together(free, waiting, len(live)) or _spinning_together(free, len(live))
    is_guessed = bool(together) and (is_short or len(together) < len(live))
    if is_guessed:
        waiting += together
        free = _without(free, together)
    handles = at_handles(free, others_to_blame=is_short)
    is_guessed = is_guessed or (bool(handles) and not waiting)
    free = _without(free, handles)
    return Sides(scene, (*waiting, *handles), tuple(free), unreachable, is_guessed)


def _without(views: Iterable[RankView], others: Iterable[RankView]) -> list[RankView]:
    ranks = {view.rank for view in others}
    return [view for view in views if view.rank not in ranks]


def _behind_a_lock(free: Iterable[RankView]) -> list[RankView]:
    """Return ranks at a lock file while another rank of the node may hold it."""
    locked = [view for view in free if view.last.waits_for_holder]
    nodes = {view.node for view in free if not view.last.waits_for_holder}
    return [view for view in locked if view.node in nodes]


def _leaving_together(free: Iterable[RankView], live: int) -> list[RankView]:
    """Return the ranks at the program's end if most are there: they wait for those that are not."""
    leaving = [view for view in free if view.last.family == "shutdown"]
    return leaving if len(leaving) > live / 2 else []


def _asleep_together(free: list[RankView], waiting: list[RankView], live: int) -> list[RankView]:
    """Return the ranks of one site of unknown meaning where more than half of all sleep.

    A communication call of an unknown library leaves no frame that tells; that most ranks sleep in
    a lock or a poll at one and the same line does. In a job whose collectives are known ones, that
    they sleep is not enough: the kernel must say in what.
    """
    sleeping = [view for view in free if _may_wait(view)]
    sites = Counter(view.last.site for view in sleeping if view.stack)
    if not sites:
        return []
    site, count = sites.most_common(1)[0]
    together = [v for v in sleeping if v.last.site == site] if count > live / 2 else []
    is_known = any(view.last.family == "collective" for view in waiting)
    says_nothing = all(not v.last.wait and v.is_sampled_twice for v in together)
    return [] if is_known and says_nothing else together


def _spinning_in_collectives(free: list[RankView], live: int) -> list[RankView]:
    """Return ranks that run at one line of a function named after a collective in all samples.

    NCCL, MPI and UCX poll at full speed on the host. One rank alone may compute there; several at
    the same line do not. In a single sample it takes most ranks.
    """
    twice = any(view.is_sampled_twice for view in free)
    named = [v for v in free if _is_spinning(v, twice=twice) and v.stack and v.stack.inline]
    sites = Counter(view.last.site for view in named)
    enough = max(2, live // 8 if twice else live // 2)
    return [view for view in named if sites[view.last.site] >= enough]


def _spinning_together(free: list[RankView], live: int) -> list[RankView]:
    """Return the ranks that run at one line in all samples where more than half of all do.

    `tensor.item()` waits for the device in compiled code, which spins and leaves no frame; so do
    compiled bindings of MPI.
    """
    # Within a layer of the model a rank that runs computes.
    spinning = [v for v in free if _is_spinning(v) and v.stack and not v.stack.is_in_layer]
    sites = Counter(view.last.site for view in spinning)
    site, count = sites.most_common(1)[0] if sites else ((), 0)
    return [v for v in spinning if v.last.site == site] if count > live / 2 else []


def _is_spinning(view: RankView, *, twice: bool = True) -> bool:
    return (
        view.last.family == USER
        and view.is_sampled_twice is twice
        and view.is_identical
        and view.is_working
        and view.is_at_program_leaf
    )


def _may_wait(view: RankView) -> bool:
    last = view.last
    return (
        last.family == USER
        and last.wait in _UNDECIDED
        and not view.is_working
        and (view.is_identical or not view.is_sampled_twice)
    )
