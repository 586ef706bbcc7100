"""Whom the others wait for, over all communicators that stand still.

A process behind in several communicators is one culprit. A process that is behind in one but has
gone ahead in another that stands still too is waiting there for somebody else, and excused. When
everybody is excused, they wait for each other in a circle.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rankscope.nccl.model import Communicator, RasProcess

Who = RasProcess | tuple[str, int]
"""A process, or hash and rank where the answer does not name the process."""


@dataclass(frozen=True, slots=True)
class Culprit:
    """One process others wait for, with every communicator and rank in which it is behind."""

    process: RasProcess | None
    ranks: tuple[tuple[Communicator, int], ...]


@dataclass(frozen=True, slots=True)
class Culprits:
    """Who is waited for, most communicators first; `circle` when all wait for each other."""

    found: tuple[Culprit, ...] = ()
    circle: bool = False


def find_culprits(stalled: Sequence[Communicator]) -> Culprits:
    """Find whom the others wait for; communicators where most ranks are behind accuse nobody."""
    accusing = [comm for comm in stalled if _accuses(comm)]
    behind: dict[Who, list[tuple[Communicator, int]]] = defaultdict(list)
    for comm in accusing:
        for rank in comm.behind:
            behind[_who(comm, rank)].append((comm, rank))
    excused = {_who(comm, rank) for comm in stalled for rank in _in_front(comm)}
    guilty = {who: ranks for who, ranks in behind.items() if who not in excused}
    circle = bool(behind) and not guilty
    chosen = guilty or behind
    found = (
        Culprit(who if isinstance(who, RasProcess) else None, tuple(ranks))
        for who, ranks in sorted(chosen.items(), key=lambda item: -len(item[1]))
    )
    return Culprits(tuple(found), circle)


def _accuses(comm: Communicator) -> bool:
    return bool(comm.behind) and 2 * comm.behind_count <= comm.ranks_answered


def _who(comm: Communicator, rank: int) -> Who:
    return comm.processes.get(rank) or (comm.hash, rank)


def _in_front(comm: Communicator) -> Iterable[int]:
    """Yield ranks that launched as much as anybody, and wait for those behind."""
    if comm.behind_unnamed or comm.diverged:
        return ()
    tops = [set(tally.groups[-1].ranks or ()) for tally in comm.skewed]
    return set.intersection(*tops) if tops else ()
