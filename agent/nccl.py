"""Asks NCCL RAS about a job on this node, where that is safe, and says why not elsewhere.

A question runs code inside the training process. Everything that files and stacks can tell is
therefore looked at first (docs/nccl.md, "Asking"), and only one question is under way at a time.
"""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from agent.dump import Dumper
from agent.nccl_facts import (
    Ras,
    address_of,
    find_ras,
    inner_pids,
    is_enabled,
    library_of,
    settings_of,
)
from agent.nccl_moment import moment_of
from agent.nccl_network import NotEntered, in_network_of
from agent.node import Survey
from agent.procfs import CLOCK_TICKS, boot_clock
from agent.requests import NcclRequest
from agent.roles import Member
from agent.sampling import now_text
from agent.settings import AgentSettings
from rankscope.model.capture import NcclAnswer, NcclOutcome, Role
from rankscope.nccl.asked import ask_for
from rankscope.nccl.client import Limits, Reply, ask
from rankscope.nccl.client_words import outcome_of
from rankscope.nccl.library import Library
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.nccl.safety import Moment, Permission, safe_to_ask
from rankscope.nccl.versions import WALK_BUG, NcclVersion

QUESTION_S = 25.0
"""All tries together; a RAS server with TIMEOUT 5 ends within 10 s."""
WHOLE_S = 35.0
"""Looking, reading stacks and asking; a caller waits a little longer (rankscope.capture)."""
MOST_BYTES = 64 << 20
"""The JSON of 16,384 ranks in four communicators each has 40 MB."""
MOST_STACKS = 64
_NO_TRAINER = "no trainer of the job lives on this node"
_NO_LIBRARY = "no NCCL library is loaded (CPU/gloo job or before the first collective)"
_LATE = "the agent did not get through with looking and asking in time"


class _Refused(Exception):
    """Asking ended before it began; version is the mapped library's."""

    def __init__(self, reason: Reason, detail: str, version: NcclVersion | None = None) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.version = reason, detail, version


@dataclass(frozen=True, slots=True)
class _Target:
    """Whom to ask: all trainers, the NCCL they have mapped, and one whose RAS listens."""

    trainers: tuple[Member, ...]
    libraries: tuple[Library, ...]
    ras: Ras

    def permission(self, moment: Moment) -> Permission:
        """Return the first refusal of any library, else a permission; raises _Refused."""
        return _permission(self.libraries, moment, enabled=True)


class Asker:
    """Asks for one job at a time."""

    def __init__(self, node: str, dumper: Dumper, settings: AgentSettings) -> None:
        self._node = node
        self._dumper = dumper
        self._start_up_s = settings.nccl_start_up_s
        self._lock = asyncio.Lock()

    async def ask(self, survey: Survey, request: NcclRequest) -> NcclAnswer:
        """Return what RAS answered, or why it was not asked; nothing is raised."""
        try:
            async with asyncio.timeout(WHOLE_S), self._lock:
                answer = await self._ask(survey, request)
        except _Refused as refused:
            answer = _refusal(refused)
        except TimeoutError:
            answer = _refusal(_Refused(Reason.SILENT, _LATE))
        return replace(answer, node=self._node, sample=request.sample)

    async def _ask(self, survey: Survey, request: NcclRequest) -> NcclAnswer:
        trainers = _trainers(survey, request.job_id)
        target = await asyncio.to_thread(_look, trainers, self._start_up_s)
        stacks = await self._stacks(target.trainers)
        moment = moment_of(stacks, progressed=request.progressed)
        permission = target.permission(moment)
        return await asyncio.to_thread(_question, target, permission)

    async def _stacks(self, trainers: Sequence[Member]) -> list[list[dict[str, object]] | None]:
        dumped = (self._dumper.dump(member.key) for member in trainers[:MOST_STACKS])
        return [dump.threads for dump in await asyncio.gather(*dumped)]


def _trainers(survey: Survey, job_id: str) -> tuple[Member, ...]:
    """Return the living trainers whose memory can be looked at, that of the lowest rank first."""
    stuck = set(survey.stuck)
    return tuple(
        member
        for member in survey.of_job(job_id)
        if member.role is Role.TRAINER and member.proc.alive and member.proc.pid not in stuck
    )


def _look(trainers: tuple[Member, ...], start_up_s: float) -> _Target:
    """Gather what files tell; raises _Refused when that stands against asking."""
    if not trainers:
        raise _Refused(Reason.JOB_OVER, _NO_TRAINER)
    found = {library_of(member.proc.pid) for member in trainers} - {None}
    libraries = tuple(library for library in found if library is not None)
    if not libraries:
        raise _Refused(Reason.NOT_LOADED, _NO_LIBRARY)
    # Steady for now: what the stacks say is looked at when all else is in order.
    moment = Moment.STARTING if _youngest_s(trainers) < start_up_s else Moment.STEADY
    enabled = all(is_enabled(settings_of(member)) for member in trainers)
    _permission(libraries, moment, enabled=enabled)
    ras = find_ras(trainers)
    if ras is None:
        host, port = address_of(settings_of(trainers[0]))
        detail = f"no trainer of this node listens on RAS's address {host}:{port}"
        raise _Refused(Reason.REFUSED, detail, libraries[0].version)
    return _Target(trainers, libraries, ras)


def _youngest_s(trainers: Iterable[Member]) -> float:
    started = max(member.proc.stat.start for member in trainers)
    return boot_clock() - started / CLOCK_TICKS


def _permission(libraries: Iterable[Library], moment: Moment, *, enabled: bool) -> Permission:
    for library in libraries:
        permission = safe_to_ask(library.version, library.features, moment, enabled=enabled)
        if not permission.allowed:
            raise _Refused(permission.reason, permission.text.en, library.version)
    return permission


def _question(target: _Target, permission: Permission) -> NcclAnswer:
    version = target.libraries[0].version
    end, asked_at = time.monotonic() + QUESTION_S, now_text()
    listener = target.ras.listener

    def once() -> Reply:
        limits = Limits(total_s=max(1.0, end - time.monotonic()), max_bytes=MOST_BYTES)
        return ask(listener.host, listener.port, prefer=permission.format, limits=limits)

    pids = inner_pids(target.trainers)
    try:
        reply, answer = in_network_of(target.ras.member.proc.pid, lambda: ask_for(pids, once, end))
    except NotEntered as error:
        raise _Refused(Reason.UNREACHABLE, str(error), version) from error
    return NcclAnswer(
        node="",
        outcome=answer.outcome,
        asked_at=asked_at,
        nccl_version=answer.nccl_version or str(version),
        format=reply.format or None,
        raw=reply.raw.decode(errors="replace"),
        detail=reply.detail or " ".join(caution.en for caution in permission.cautions),
        reason=answer.reason,
        again=_may_ask_again(answer, version),
    )


def _may_ask_again(answer: RasAnswer, version: NcclVersion | None) -> bool:
    """Versions with NVIDIA/nccl#1762 read beyond their memory each time when ranks are missing."""
    if version is None or not version.is_within(*WALK_BUG):
        return True
    lost = answer.missing_processes or answer.dead_processes
    return answer.reliable and not lost and not any(c.missing_count for c in answer.communicators)


def _refusal(refused: _Refused) -> NcclAnswer:
    return NcclAnswer(
        node="",
        outcome=NcclOutcome(outcome_of(refused.reason)),
        asked_at=now_text(),
        nccl_version=str(refused.version) if refused.version else None,
        detail=refused.detail,
        reason=refused.reason,
    )
