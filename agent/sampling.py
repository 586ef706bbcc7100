"""One sample of a job: every member gets a row within the budget, trainers first."""

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import structlog

from agent.dump import Dumper
from agent.metrics import Metrics
from agent.node import Node, Survey
from agent.outcome import Dump, Reason
from agent.roles import Member
from agent.rows import row, without_dump
from agent.scan import Key
from agent.settings import AgentSettings
from rankscope import __version__
from rankscope.errors import NotFound
from rankscope.model.capture import Role

FACTS_S = 1.0
"""How long a sample waits, when its rows are done, for files that tell versions."""
NOT_PYTHON_LIMIT = 32
"""How many processes that are not Python a sample shows of a job, so that no build floods it."""
log = structlog.get_logger(__name__)
_Early = Mapping[Key, asyncio.Task[Dump]]


def now_text() -> str:
    """Return the time in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class UnknownJob(NotFound):
    """The node runs no process of the job; `jobs` are those it knows."""

    def __init__(self, node: str, job_id: str, jobs: list[str]) -> None:
        here = f"Jobs here: {', '.join(jobs) or 'none'}."
        super().__init__(f"Node {node} has no process of job {job_id}.", here)
        self.jobs = jobs


@dataclass(frozen=True, slots=True)
class Sampler:
    """Takes samples of one node."""

    node: Node
    dumper: Dumper
    settings: AgentSettings
    metrics: Metrics

    async def require(self, job_id: str) -> None:
        """Raise UnknownJob, naming the jobs that are here, unless the job is on this node."""
        if job_id in self.node.remembered().job_ids:
            return
        known = (await self.node.look()).job_ids
        if job_id not in known:
            raise UnknownJob(self.node.name, job_id, known)

    async def sample(
        self, job_id: str, number: int, native: Collection[int], budget_s: float
    ) -> dict[str, Any]:
        """Return one NodeSample as docs/capture-format.md describes it, whatever happens."""
        end = time.monotonic() + budget_s
        taken_at = now_text()
        async with self._early(job_id, native) as early:
            survey = await self.node.look()
            members = list(_bounded(survey.of_job(job_id)))
            rows = await self._rows(members, native, early, end)
        await self._add_facts(members, rows, end)
        return {
            "node": self.node.name,
            "sample": number,
            "taken_at": taken_at,
            "agent": __version__,
            "error": _error(survey, members, job_id),
            "processes": rows,
        }

    @asynccontextmanager
    async def _early(self, job_id: str, native: Collection[int]) -> AsyncIterator[_Early]:
        """Begin to dump what the last look knows of a job, while the next look is under way.

        Who is a member, and of which rank, the next look decides; what is no member any more, or
        another process by then, is thrown away.
        """
        members = _bounded(self.node.remembered().of_job(job_id))
        early = {
            member.key: asyncio.create_task(self._dump(member.key, native=False))
            for member in members
            if without_dump(member) is None and not _is_native(member, native)
        }
        try:
            yield early
        finally:
            for task in early.values():
                task.cancel()
            await asyncio.gather(*early.values(), return_exceptions=True)

    async def _dump(self, key: Key, *, native: bool) -> Dump:
        started = time.monotonic()
        dump = await self.dumper.dump(key, native=native)
        self.metrics.dumped(dump, time.monotonic() - started)
        return dump

    async def _rows(
        self, members: list[Member], native: Collection[int], early: _Early, end: float
    ) -> list[dict[str, Any]]:
        tasks = [asyncio.create_task(self._row(m, native, early.get(m.key))) for m in members]
        try:
            if tasks:
                await asyncio.wait(tasks, timeout=max(0.0, end - time.monotonic()))
        finally:
            for task in tasks:
                task.cancel()
            # Returns once every py-spy is killed and collected.
            rows = await asyncio.gather(*tasks, return_exceptions=True)
        return [self._certain(*pair) for pair in zip(members, rows, strict=True)]

    async def _add_facts(
        self, members: list[Member], rows: list[dict[str, Any]], end: float
    ) -> None:
        procs = [member.proc for member in members]
        seconds = max(0.0, min(FACTS_S, end - time.monotonic()))
        await asyncio.to_thread(self.node.facts.wait, procs, seconds)
        for proc, found in zip(procs, rows, strict=True):
            found["facts"] = asdict(self.node.facts.of(proc))

    async def _row(
        self, member: Member, native: Collection[int], early: asyncio.Task[Dump] | None
    ) -> dict[str, Any]:
        dump = without_dump(member)
        if dump is None and early and not _is_native(member, native):
            dump = await early
        elif dump is None:
            dump = await self._dump(member.key, native=_is_native(member, native))
        # Reads only what never blocks, and at once, so that the states belong to the dump.
        return row(member, self.settings.shown_variables, dump)

    def _certain(self, member: Member, found: dict[str, Any] | BaseException) -> dict[str, Any]:
        """Return the row, or one that says why it could not be made: none is ever left out."""
        if not isinstance(found, BaseException):
            return found
        late = isinstance(found, asyncio.CancelledError)
        if not late:
            log.error("process failed", pid=member.proc.pid, rank=member.rank, exc_info=found)
        dump = Dump(reason=Reason.BUDGET if late else Reason.FAILED)
        self.metrics.dumped(dump, 0.0)
        return row(member, self.settings.shown_variables, dump)


def _is_native(member: Member, native: Collection[int]) -> bool:
    return member.role is Role.TRAINER and member.rank in native


def _bounded(members: Iterable[Member]) -> Iterable[Member]:
    others = 0
    for member in members:
        others += member.proc.python is None and member.role is Role.HELPER
        if member.proc.python is not None or others <= NOT_PYTHON_LIMIT:
            yield member


def _error(survey: Survey, members: list[Member], job_id: str) -> str | None:
    if survey.stuck:
        pids = ", ".join(map(str, survey.stuck))
        return f"The memory of these processes could not be read in time (state D?): {pids}."
    return None if members else f"No process of job {job_id} is left on this node."
