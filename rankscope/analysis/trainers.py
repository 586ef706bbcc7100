"""Which process is the trainer of each rank; labels, ranks and process ids may be wrong."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from rankscope.analysis.names import bare, frame_kind
from rankscope.analysis.stacks import StackReader
from rankscope.analysis.threads import Shape
from rankscope.model.capture import Capture, NodeSample, Process, Role


class Member(msgspec.Struct, frozen=True, gc=False):
    """One process of a rank at one moment, and what it has in common with those like it."""

    node: str
    process: Process
    shape: Shape


@dataclass(frozen=True, slots=True)
class Cast:
    """One sample: the trainer of every rank, and the other processes of those that have any."""

    trainers: dict[int, Member]
    helpers: dict[int, tuple[Member, ...]]


def casts(capture: Capture, reader: StackReader) -> tuple[Cast, ...]:
    """Return the cast of every sample, oldest first."""
    by_sample: dict[int, list[NodeSample]] = defaultdict(list)
    for sample in capture.samples:
        if sample.processes:
            by_sample[sample.sample].append(sample)
    return tuple(_cast(by_sample[number], reader) for number in sorted(by_sample))


def _cast(samples: Iterable[NodeSample], reader: StackReader) -> Cast:
    by_rank: dict[int, list[Member]] = defaultdict(list)
    for rank, member in _ranked(samples, reader):
        by_rank[rank].append(member)
    trainers, helpers = {}, {}
    for rank, members in by_rank.items():
        trainer = _trainer(members, reader)
        if trainer:
            trainers[rank] = trainer
        if len(members) > 1 or not trainer:
            helpers[rank] = tuple(m for m in members if m is not trainer)
    return Cast(trainers, helpers)


def _ranked(samples: Iterable[NodeSample], reader: StackReader) -> Iterator[tuple[int, Member]]:
    """Give every process its rank: its own, its parent's, or by order when nobody knows one."""
    shape_of = reader.shape_of
    members = [Member(s.node, p, shape_of(p)) for s in samples for p in s.processes]
    if all(_own_rank(member.process) is None for member in members):
        trainers = [m for m in members if m.process.role is Role.TRAINER]
        yield from enumerate(m for m in trainers if not _worker_role(m, reader))
        return
    by_pid: dict[tuple[str, int], Member] = {}
    for member in members:
        rank = _own_rank(member.process)
        if rank is None:
            by_pid = by_pid or {(m.node, m.process.pid): m for m in members}
            rank = _rank_above(member, by_pid)
        if rank is not None:
            yield rank, member


def _own_rank(process: Process) -> int | None:
    if process.rank is not None:
        return process.rank if process.rank >= 0 else None
    value = process.env.get("RANK", "")
    return int(value) if value.isdecimal() and process.role is Role.TRAINER else None


def _rank_above(member: Member, by_pid: dict[tuple[str, int], Member]) -> int | None:
    """Return the rank of the nearest process above that has one."""
    seen = {member.process.pid}
    above = by_pid.get((member.node, member.process.ppid))
    while above and above.process.pid not in seen:
        rank = _own_rank(above.process)
        if rank is not None:
            return rank
        seen.add(above.process.pid)
        above = by_pid.get((above.node, above.process.ppid))
    return None


def _worker_role(member: Member, reader: StackReader) -> str:
    role = reader.role_of(member.shape, member.process)
    return "" if role == "trainer" else role


def _trainer(members: list[Member], reader: StackReader) -> Member | None:
    """Return the most likely trainer among a rank's processes, or None when all are helpers."""
    if len(members) == 1 and members[0].process.role is Role.TRAINER:
        return None if _worker_role(members[0], reader) else members[0]
    possible = [member for member in members if not _worker_role(member, reader)]
    labelled = [m for m in possible if m.process.role in {Role.TRAINER, Role.DEAD}]
    pool = labelled or [m for m in possible if _runs_a_program(m.process, reader)]
    if len(pool) < 2:
        return pool[0] if pool else None
    pids = {(member.node, member.process.pid) for member in members}
    return max(pool, key=lambda member: _likeness(member, pids), default=None)


def _runs_a_program(process: Process, reader: StackReader) -> bool:
    """Whether a process that is not labelled a trainer is in program code all the same.

    A forked worker shows its parent's code further out; its own begins in multiprocessing.
    """
    main = reader.main_thread(process)
    if main is None:
        return False
    forked = any(bare(frame.name) == "_bootstrap" for frame in main.frames)
    return not forked and any(frame_kind(frame).is_program for frame in main.frames)


def _likeness(member: Member, pids: set[tuple[str, int]]) -> tuple[bool, bool, bool, int]:
    """Prefer a living process to a dead one, the topmost to its children, the newest to others."""
    process = member.process
    return (
        process.role is not Role.DEAD and process.state not in {"Z", "X"},
        process.ppid == process.pid or (member.node, process.ppid) not in pids,
        bool(process.threads),
        process.pid,
    )
