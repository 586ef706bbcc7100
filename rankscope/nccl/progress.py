"""Compares two answers of one job: which communicators stand still and which move.

A difference between ranks means little in one answer, since a live job is normally caught with
ranks one or two launches apart. It counts when nothing moved for ten seconds or more.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankscope.model.report import Progress
from rankscope.nccl.model import Communicator, CountGroup, RasAnswer, Tally

LEAST_SECONDS = 10.0
"""Apart from each other two answers should be, as NCCL's RAS guide advises for counts."""
CLOCK_SECONDS = 1.0
"""Timestamps of answers have whole seconds."""


@dataclass(frozen=True, slots=True)
class CommProgress:
    """One communicator in both answers.

    still holds ranks behind in both answers with the same count, still_initialising those that
    were in INIT in both; initialising says that there are some, named or not.
    """

    now: Communicator
    before: Communicator
    progress: Progress
    still: tuple[int, ...] = ()
    still_initialising: tuple[int, ...] = ()
    initialising: bool = False

    @property
    def stalled(self) -> bool:
        """Whether ranks are behind and nothing moves."""
        return self.progress == "frozen" and bool(self.now.skewed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two answers of a job; comparable is False when they share no communicator.

    too_close: the time between them is known and shorter than ten seconds.
    """

    progress: Progress
    comms: tuple[CommProgress, ...]
    comparable: bool
    seconds: float | None
    too_close: bool


def compare(before: RasAnswer, now: RasAnswer, seconds: float | None = None) -> Comparison:
    """Compare an answer with an earlier one; seconds between them, if the caller knows."""
    apart = _seconds(before, now) if seconds is None else seconds
    too_close = apart is not None and apart < LEAST_SECONDS - CLOCK_SECONDS
    if not (before.reliable and now.reliable):
        return Comparison("unknown", (), comparable=False, seconds=apart, too_close=too_close)
    earlier = _by_name(before.communicators)
    comms = tuple(
        _progress(old, comm, too_close=too_close)
        for comm in now.communicators
        if (old := _same(comm, earlier)) is not None
    )
    evened = _evened(before, now) or _evened(now, before)
    progress = _overall([comm.progress for comm in comms], evened=evened)
    return Comparison(progress, comms, bool(comms) or evened, apart, too_close)


def in_order(one: RasAnswer, other: RasAnswer) -> tuple[RasAnswer, RasAnswer]:
    """Return the earlier answer first, when both say when they were taken."""
    times = (one.taken_at, other.taken_at)
    if times[0] and times[1] and times[0] > times[1]:
        return other, one
    return one, other


def _seconds(before: RasAnswer, now: RasAnswer) -> float | None:
    if before.taken_at is None or now.taken_at is None:
        return None
    return (now.taken_at - before.taken_at).total_seconds()


ByName = Mapping[tuple[str, int], Sequence[Communicator]]


def _by_name(comms: Iterable[Communicator]) -> ByName:
    found: dict[tuple[str, int], list[Communicator]] = defaultdict(list)
    for comm in comms:
        if comm.hash:
            found[comm.hash, comm.size].append(comm)
    return found


def _same(comm: Communicator, others: ByName) -> Communicator | None:
    """Find by name; a text answer has no secondary hash, and no hash for what is in order."""
    for other in others.get((comm.hash, comm.size), ()):
        if len({comm.secondary_hash, other.secondary_hash} - {""}) < 2:
            return other
    return None


def _evened(one: RasAnswer, other: RasAnswer) -> bool:
    """Whether a difference of one answer is gone from the other, a text naming no even comms."""
    named = _by_name(other.communicators)
    even_sizes = {c.size for c in other.communicators if not c.hash and "MISMATCH" not in c.errors}
    return any(
        comm.skewed and comm.size in even_sizes and _same(comm, named) is None
        for comm in one.communicators
    )


def _progress(before: Communicator, now: Communicator, *, too_close: bool) -> CommProgress:
    pairs = _pairs(before.tallies, now.tallies)
    still_init = not too_close and bool(_initialising(before) and _initialising(now))
    if any(_moved(old, new) for old, new in pairs):
        progress: Progress = "moving"
    elif not too_close and (still_init or any(old and new for old, new in pairs)):
        progress = "frozen"
    else:
        progress = "unknown"
    return CommProgress(
        now,
        before,
        progress,
        still=tuple(sorted(_still(pairs))),
        still_initialising=tuple(sorted(_in_init(before) & _in_init(now))),
        initialising=still_init,
    )


Pair = tuple[Tally | None, Tally | None]


def _pairs(before: Iterable[Tally], now: Iterable[Tally]) -> list[Pair]:
    old, new = ({tally.kind: tally for tally in tallies} for tallies in (before, now))
    return [(old.get(kind), new.get(kind)) for kind in {**old, **new}]


def _moved(old: Tally | None, new: Tally | None) -> bool:
    if old is None or new is None:
        # A text answer shows a kind only while its counts differ.
        return not (old or new).is_even  # type: ignore[union-attr]
    shapes = [[(group.value, group.number) for group in tally.groups] for tally in (old, new)]
    return shapes[0] != shapes[1]


def _still(pairs: Iterable[Pair]) -> set[int]:
    still: set[int] = set()
    for old, new in pairs:
        if old and new:
            earlier = {(g.value, rank) for g in old.groups[:-1] for rank in _ranks(g)}
            later = {(g.value, rank) for g in new.groups[:-1] for rank in _ranks(g)}
            still |= {rank for _, rank in earlier & later}
    return still


def _ranks(group: CountGroup) -> tuple[int, ...]:
    return group.ranks or ()


def _initialising(comm: Communicator) -> bool:
    return comm.status == "INIT" or comm.ranks_in("INIT")[0] > 0


def _in_init(comm: Communicator) -> set[int]:
    return {rank for group in comm.states if group.state == "INIT" for rank in group.ranks or ()}


def _overall(found: Iterable[Progress], *, evened: bool) -> Progress:
    progress = set(found)
    if evened or "moving" in progress:
        return "moving"
    return "frozen" if "frozen" in progress else "unknown"
