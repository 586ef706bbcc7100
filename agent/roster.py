"""Remembers trainers, so that a rank that is gone still has a row: it is often the culprit."""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agent.procfs import CLOCK_TICKS, boot_clock
from agent.roles import Member
from agent.scan import Key, Proc
from rankscope.model.capture import Role

KEPT_S = 600.0
"""How long the dead of a job are reported after its last trainer on this node was seen."""


@dataclass(frozen=True, slots=True)
class _Seen:
    member: Member
    seen_at: float  # seconds since boot, as start times count
    seen_wall: float


class Roster:
    """Trainers and helpers seen before, by PID and start time."""

    def __init__(self) -> None:
        self._trainers: dict[Key, _Seen] = {}
        self._helpers: dict[Key, Member] = {}
        self._job_seen: dict[str, float] = {}

    def orphans(self, procs: Mapping[int, Proc]) -> dict[Key, Member]:
        """Return helpers known from before that are alive while their trainer is not."""
        alive = {proc.key for proc in procs.values() if proc.alive}
        return {
            key: member
            for key, member in self._helpers.items()
            if key in alive and member.owner not in alive
        }

    def update(self, members: Iterable[Member], procs: Mapping[int, Proc]) -> list[Member]:
        """Take in what is alive now and return the members, the dead ones among them."""
        members = list(members)
        now, wall = boot_clock(), time.time()
        for member in members:
            self._remember(member, now, wall)
        present = {proc.key for proc in procs.values()}
        self._helpers = {k: m for k, m in self._helpers.items() if k in present}
        self._forget(members, now)
        dead = [self._dead(seen, procs) for seen in self._gone(members)]
        keys = {member.key for member in dead}
        return [m for m in members if m.key not in keys] + dead

    def _remember(self, member: Member, now: float, wall: float) -> None:
        if not member.proc.alive:
            return
        if member.role is Role.TRAINER:
            self._trainers[member.key] = _Seen(member, now, wall)
            self._job_seen[member.job_id] = now
        elif member.owner:
            self._helpers[member.key] = member

    def _forget(self, members: list[Member], now: float) -> None:
        living = [m for m in members if m.role is Role.TRAINER]
        self._trainers = {
            key: seen
            for key, seen in self._trainers.items()
            if not _is_replaced(seen, living) and now - self._job_seen[_job(seen)] <= KEPT_S
        }
        jobs = {_job(seen) for seen in self._trainers.values()}
        self._job_seen = {job: at for job, at in self._job_seen.items() if job in jobs}

    def _gone(self, members: list[Member]) -> Iterator[_Seen]:
        living = {m.key for m in members if m.role is Role.TRAINER and m.proc.alive}
        return (seen for key, seen in self._trainers.items() if key not in living)

    def _dead(self, seen: _Seen, procs: Mapping[int, Proc]) -> Member:
        now = procs.get(seen.member.proc.pid)
        if now is not None and now.key == seen.member.key:
            proc = replace(seen.member.proc, stat=now.stat)
            error = "zombie: the process has exited, and its parent has not collected it yet."
        else:
            proc = replace(seen.member.proc, stat=replace(seen.member.proc.stat, state=""))
            error = "gone: the process no longer exists; it exited or was killed."
        last = datetime.fromtimestamp(seen.seen_wall, UTC).strftime("%H:%M:%S UTC")
        error = f"{error} It was last seen alive at {last}."
        return replace(seen.member, proc=proc, role=Role.DEAD, error=error)


def _job(seen: _Seen) -> str:
    return seen.member.job_id


def _is_replaced(seen: _Seen, living: list[Member]) -> bool:
    """Whether the job was started again since: the same rank, or all ranks, are younger."""
    peers = [m for m in living if m.job_id == _job(seen)]
    younger = [m for m in peers if _start(m) > seen.seen_at]
    return bool(younger) and (
        len(younger) == len(peers) or any(m.rank == seen.member.rank for m in younger)
    )


def _start(member: Member) -> float:
    return member.proc.stat.start / CLOCK_TICKS
