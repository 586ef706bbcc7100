"""What this node runs: one look at /proc turned into jobs and their processes."""

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass

from agent.facts import FactFinder
from agent.roles import Member, classify
from agent.roster import Roster
from agent.scan import Proc, Scanner
from agent.settings import AgentSettings
from rankscope.model.capture import Role
from rankscope.model.state import AgentJob

NODE_VARIABLE = "RANKSCOPE_NODE"
REMEMBERED_S = 60.0
"""How long the last look may tell which jobs are here; each sample looks anew anyway."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The members of all jobs on this node; stuck are PIDs whose memory could not be read."""

    members: tuple[Member, ...] = ()
    stuck: tuple[int, ...] = ()
    took_s: float = 0.0

    def of_job(self, job_id: str) -> tuple[Member, ...]:
        """Return a job's members, trainers first, then by rank and PID."""
        mine = (member for member in self.members if member.job_id == job_id)
        return tuple(sorted(mine, key=_order))

    @property
    def job_ids(self) -> list[str]:
        """The ids of all jobs that have, or lately had, trainers here."""
        return sorted({m.job_id for m in self.members if m.role in {Role.TRAINER, Role.DEAD}})

    def jobs(self) -> tuple[AgentJob, ...]:
        """Return jobs that have living trainers here, with their ranks."""
        return tuple(job for job in map(self._job, self.job_ids) if job)

    def _job(self, job_id: str) -> AgentJob | None:
        trainers = [m for m in self.of_job(job_id) if m.role is Role.TRAINER]
        if not trainers:
            return None
        ranks = sorted({m.rank for m in trainers if m.rank is not None})
        size = max((m.world_size for m in trainers if m.world_size), default=None)
        return AgentJob(job_id=job_id, ranks=tuple(ranks), world_size=size)


def _order(member: Member) -> tuple[bool, int, int]:
    first = member.role in {Role.TRAINER, Role.DEAD}
    return not first, 1 << 30 if member.rank is None else member.rank, member.proc.pid


class Node:
    """Looks at the processes of one node, one look at a time."""

    def __init__(self, settings: AgentSettings) -> None:
        self.name = settings.node
        self._variables = settings.job_id_variables
        self._scanner = Scanner()
        self._roster = Roster()
        self.facts = FactFinder()
        self._lock = asyncio.Lock()
        self._latest = -REMEMBERED_S, Survey()

    async def look(self, *, fresh: bool = True) -> Survey:
        """Return what runs now; unless fresh, ranks set in the last minute may be missed."""
        async with self._lock:
            survey = await asyncio.to_thread(self._look, fresh=fresh)
            self._latest = time.monotonic(), survey
            return survey

    def remembered(self) -> Survey:
        """Return the last look, fresh or not; an empty one when that is long ago."""
        at, survey = self._latest
        return survey if time.monotonic() - at < REMEMBERED_S else Survey()

    def _look(self, *, fresh: bool) -> Survey:
        started = time.monotonic()
        scan = self._scanner.scan(fresh=fresh)
        procs = belonging(scan.procs, self.name)
        members = classify(procs, self._variables, self._roster.orphans(procs))
        known = tuple(self._roster.update(members, procs))
        self.facts.want(member.proc for member in known)
        return Survey(known, scan.stuck, time.monotonic() - started)


def belonging(procs: Mapping[int, Proc], node: str) -> dict[int, Proc]:
    """Return the processes that this agent answers for.

    A process that carries RANKSCOPE_NODE belongs to the agent of that name only, so that several
    agents on one host can each stand for a node. The agent itself belongs to none.
    """
    return {
        pid: proc
        for pid, proc in procs.items()
        if pid != os.getpid() and proc.env.get(NODE_VARIABLE, node) == node
    }
