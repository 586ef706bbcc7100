"""Whom RAS blames, as far as a report may build on it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rankscope.model.text import Text
from rankscope.nccl.model import Communicator, RasAnswer
from rankscope.nccl.places import Places
from rankscope.nccl.verdict import RasVerdict
from rankscope.text import say

Blame = Literal["dead", "silent", "behind"]


@dataclass(frozen=True, slots=True)
class Blamed:
    """A global rank that RAS names; node is empty when unknown, comms is in how many."""

    rank: int
    node: str
    why: Blame
    comms: int
    text: Text


def blamed(answer: RasAnswer, verdict: RasVerdict, places: Places) -> tuple[Blamed, ...]:
    """Return ranks whose process is dead or silent, or that are behind and stand still.

    Nothing is taken from an unreliable answer. Ranks behind count only when nothing moved between
    two answers ten seconds or more apart, and not when they wait for each other in a circle.
    """
    if not answer.reliable:
        return ()
    found = {one.rank: one for one in _behind(verdict, places)}
    found |= {one.rank: one for one in _lost(answer, places)}
    return tuple(found[rank] for rank in sorted(found))


def _lost(answer: RasAnswer, places: Places) -> Iterator[Blamed]:
    for comm in sorted(answer.communicators, key=lambda comm: comm.size):
        for lost in comm.missing:
            yield from _one(comm, lost.rank, places, "dead" if lost.dead else "silent", 1)


def _behind(verdict: RasVerdict, places: Places) -> Iterator[Blamed]:
    if verdict.progress != "frozen" or verdict.culprits.circle:
        return
    for culprit in verdict.culprits.found:
        for comm, rank in culprit.ranks:
            yield from _one(comm, rank, places, "behind", len(culprit.ranks))


def _one(comm: Communicator, rank: int, places: Places, why: Blame, comms: int) -> Iterator[Blamed]:
    place = places.of(comm, rank)
    if place.rank is not None:
        text = say(f"nccl-blame-{why}", comms=comms)
        yield Blamed(place.rank, place.node or "", why, comms, text)
