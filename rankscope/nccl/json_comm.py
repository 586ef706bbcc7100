"""One communicator of a JSON answer in the model, with the words a text report would use.

JSON has no status word and no Errors column; they follow from the ranks by the rules of
src/ras/client_support.cc.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Literal

from rankscope.nccl.grammar import ERROR_NAMES, KINDS, UNNAMED_ERROR
from rankscope.nccl.model import (
    STATUSES,
    Communicator,
    CountGroup,
    Failure,
    MissingRank,
    RasProcess,
    StateGroup,
    Status,
    Tally,
)
from rankscope.nccl.report_json import Comm, Missing, Rank, RankCounts, RankStatus
from rankscope.nccl.tallies import standing

FINE = (0, 7)
"""ncclSuccess and ncclInProgress: no error."""
NCCL_TIMEOUT = 8
"""ncclTimeout of 2.30; the text report counts it without a name, so that it has none here."""
Places = dict[tuple[str, int, int], RasProcess]
Found = tuple[tuple[StateGroup, ...], tuple[Tally, ...], tuple[Failure, ...]]
_COUNTS: Callable[[RankCounts], tuple[int, ...]] = attrgetter(
    "broadcast", "reduce", "all_gather", "reduce_scatter", "all_reduce"
)


def communicator(comm: Comm, places: Places, reliable: bool) -> Communicator:
    """Turn one communicator into the model; only its outline when the answer is unreliable.

    places holds the processes met so far, since ranks of many communicators share a process.
    """
    states, tallies, failures = _states(comm), _tallies(comm), tuple(_failures(comm))
    flags = {
        "INCOMPLETE": any(is_lost(rank) for rank in comm.missing_ranks),
        "ERROR": bool(failures),
        "MISMATCH": len(states) > 1 or any(not tally.is_even for tally in tallies),
    }
    outline = Communicator(
        hash=padded(comm.hash),
        secondary_hash=comm.secondary_hash,
        size=comm.size,
        status=_status(states),
        errors=tuple(flag for flag, is_set in flags.items() if is_set),
        ranks_answered=comm.ranks_count,
    )
    return _filled(outline, comm, (states, tallies, failures), places) if reliable else outline


def padded(name: str) -> str:
    """Pad a hash to the 16 digits of a text report; garbage becomes zeros, a sign of damage."""
    digits = name.removeprefix("0x")
    is_hash = 0 < len(digits) <= 16 and set(digits) <= set("0123456789abcdef")
    return digits.zfill(16) if is_hash else "0" * 16


def is_lost(rank: Missing) -> bool:
    """Whether a missing rank did not answer; the others answered and are no members."""
    return rank.status.unresponsive or rank.status.considered_dead


def _filled(outline: Communicator, comm: Comm, found: Found, places: Places) -> Communicator:
    states, tallies, failures = found
    stand = standing(tallies)
    lost = [rank for rank in comm.missing_ranks if is_lost(rank)]
    outside = tuple(rank.rank for rank in comm.missing_ranks if not is_lost(rank))
    everyone: Iterable[Rank | Missing] = chain(comm.ranks, comm.missing_ranks)
    return replace(
        outline,
        missing=tuple(_missing(rank, places) for rank in lost),
        missing_count=len(lost),
        not_members=outside,
        not_member_count=len(outside),
        states=states,
        tallies=tallies,
        failures=failures,
        behind=stand.behind,
        behind_unnamed=stand.behind_unnamed,
        ahead=stand.ahead,
        diverged=stand.diverged,
        processes={rank.rank: _place(rank, places) for rank in everyone if rank.pid >= 0},
    )


def _missing(rank: Missing, places: Places) -> MissingRank:
    process = _place(rank, places) if rank.pid >= 0 else None
    return MissingRank(rank.rank, rank.status.considered_dead, process)


def _place(rank: Rank | Missing, places: Places) -> RasProcess:
    key = (rank.host, rank.pid, rank.cuda_dev)
    if (known := places.get(key)) is None:
        known = places[key] = RasProcess(rank.host, rank.pid, rank.cuda_dev, rank.nvml_dev)
    return known


def _states(comm: Comm) -> tuple[StateGroup, ...]:
    by_status: dict[RankStatus, list[int]] = defaultdict(list)
    for rank in comm.ranks:
        by_status[rank.status].append(rank.rank)
    by_state: dict[str, list[int]] = defaultdict(list)
    for status, ranks in by_status.items():
        by_state[_state(status)] += ranks
    outside = [rank.rank for rank in comm.missing_ranks if not is_lost(rank)]
    if outside:
        by_state["NOCOMM"] = outside
    largest_first = sorted(by_state.items(), key=lambda item: -len(item[1]))
    return tuple(StateGroup(s, len(ranks), tuple(sorted(ranks))) for s, ranks in largest_first)


def _state(status: RankStatus) -> Status:
    if status.abort_flag:
        return "ABORT"
    if status.finalize_called or status.destroy_flag:
        return "FINALIZE"
    return "RUNNING" if status.init_state == 0 else "INIT"


def _status(states: Sequence[StateGroup]) -> str:
    present = {group.state for group in states}
    return next((status for status in STATUSES if status in present), "NOCOMM")


def _tallies(comm: Comm) -> tuple[Tally, ...]:
    by_counts: dict[RankCounts, list[int]] = defaultdict(list)
    for rank in comm.ranks:
        by_counts[rank.collective_counts].append(rank.rank)
    vectors = [(_COUNTS(counts), ranks) for counts, ranks in by_counts.items()]
    return (
        tuple(_tally(kind, index, vectors) for index, kind in enumerate(KINDS)) if vectors else ()
    )


def _tally(kind: str, index: int, vectors: Sequence[tuple[tuple[int, ...], list[int]]]) -> Tally:
    by_value: dict[int, list[int]] = defaultdict(list)
    for counts, ranks in vectors:
        by_value[counts[index]] += ranks
    groups = (CountGroup(v, len(r), tuple(sorted(r))) for v, r in sorted(by_value.items()))
    return Tally(kind, tuple(groups))


def _failures(comm: Comm) -> Iterator[Failure]:
    stages: tuple[tuple[Literal["init", "async"], Callable[[RankStatus], int]], ...] = (
        ("init", attrgetter("init_state")),
        ("async", attrgetter("async_error")),
    )
    for stage, code_of in stages:
        by_code: dict[int, list[int]] = defaultdict(list)
        for rank in comm.ranks:
            if (code := code_of(rank.status)) not in FINE:
                by_code[code].append(rank.rank)
        largest_first = sorted(by_code.items(), key=lambda item: -len(item[1]))
        for code, ranks in largest_first:
            yield Failure(stage, _error(code), len(ranks), tuple(ranks))


def _error(code: int) -> str:
    return "" if code == NCCL_TIMEOUT else ERROR_NAMES.get(code, UNNAMED_ERROR)
