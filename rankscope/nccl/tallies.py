"""Who is behind, decided by the counts and never by who is listed.

A text report lists the smaller group of ranks, which may be the ones ahead; the others are found as
the rest of the communicator. Ranks of one communicator call the same collectives in the same order,
so that the counts of one rank can never be larger than another's in one kind and smaller in another
unless their programs went different ways, or the answer was taken between two launches.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

from rankscope.nccl.model import CountGroup, StateGroup, Tally

MAX_VECTORS = 64
"""Distinct combinations of counts compared with each other; a real job has a handful."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Which ranks are behind and ahead, and whether ranks went different ways."""

    behind: tuple[int, ...] = ()
    behind_unnamed: int = 0
    ahead: tuple[int, ...] = ()
    diverged: bool = False


G = TypeVar("G", CountGroup, StateGroup)


def name_the_rest(groups: Sequence[G], everyone: Iterable[int] | None) -> tuple[G, ...]:
    """Name the ranks of the only unnamed group, when everyone is known and the number fits."""
    unnamed = [group for group in groups if group.ranks is None]
    if everyone is None or len(unnamed) != 1:
        return tuple(groups)
    rest = set(everyone).difference(*(group.ranks for group in groups if group.ranks is not None))
    if len(rest) != unnamed[0].number:
        return tuple(groups)
    named = tuple(sorted(rest))
    return tuple(replace(g, ranks=named) if g.ranks is None else g for g in groups)


def standing(tallies: Iterable[Tally]) -> Standing:
    """Decide who is behind and who is ahead over all kinds of collectives."""
    skewed = [tally for tally in tallies if not tally.is_even]
    behind: set[int] = set()
    ahead: set[int] = set()
    behind_most = 0
    for tally in skewed:
        low = tally.groups[:-1]
        behind.update(_ranks(low))
        behind_most = max(behind_most, sum(group.number for group in low))
        ahead.update(_ranks(g for g in tally.groups if g.value > _most_common(tally)))
    unnamed = max(0, behind_most - len(behind))
    return Standing(tuple(sorted(behind)), unnamed, tuple(sorted(ahead)), _diverged(skewed))


def _ranks(groups: Iterable[CountGroup]) -> Iterable[int]:
    return (rank for group in groups for rank in group.ranks or ())


def _most_common(tally: Tally) -> int:
    return max(tally.groups, key=lambda group: (group.number, group.value)).value


def _diverged(skewed: Sequence[Tally]) -> bool:
    vectors: dict[int, tuple[int, ...]] = {}
    for tally in skewed:
        if all(group.ranks is not None for group in tally.groups):
            for group in tally.groups:
                vectors.update({r: (*vectors.get(r, ()), group.value) for r in group.ranks or ()})
    distinct = set(vectors.values())
    pairs = combinations(sorted(distinct)[:MAX_VECTORS], 2)
    return any(_crossed(one, other) for one, other in pairs)


def _crossed(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return any(a < b for a, b in pairs) and any(a > b for a, b in pairs)
