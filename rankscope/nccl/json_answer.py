"""Reads and judges a RAS answer in JSON.

Unlike the text it names every rank, so that every rank of a communicator must be there exactly
once. There is no job summary; what can be summed up from the ranks is marked as derived.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain

import msgspec

from rankscope.model.capture import NcclOutcome
from rankscope.model.text import Text
from rankscope.nccl.json_comm import Places, communicator, is_lost, padded
from rankscope.nccl.model import JobProcess, JobSummary, RasAnswer, Reason
from rankscope.nccl.report_json import Comm, JsonReport, Missing, decode, unknown_keys
from rankscope.nccl.versions import NcclVersion
from rankscope.text import say

VERSION_WITHIN = 400
"""The version is the first key; this many bytes are searched for it in an answer cut short."""


def json_answer(raw: bytes) -> RasAnswer:
    """Read and judge an answer that starts at its opening brace; never raises."""
    try:
        report = decode(raw)
    except msgspec.ValidationError as error:
        return _unreadable(NcclOutcome.ANSWERED, raw, say("nccl-sign-json", why=error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return _unreadable(NcclOutcome.CUT, raw, say("nccl-sign-json-cut", why=error))
    problems = tuple(dict.fromkeys(_signs(report)))
    reliable = not problems
    places: Places = {}
    lost = _Lost(report if reliable else None)
    return RasAnswer(
        outcome=NcclOutcome.ANSWERED,
        nccl_version=report.nccl_version,
        format="json",
        reliable=reliable,
        problems=problems,
        job=_job(report),
        communicators=tuple(communicator(c, places, reliable) for c in report.communicators),
        processes_missing=lost.silent,
        missing_processes=len(lost.silent) + lost.silent_unknown,
        dead=lost.dead,
        dead_processes=len(lost.dead) + lost.dead_unknown,
        taken_at=_time(report.timestamp),
        unknown_lines=unknown_keys(raw, report),
    )


def _unreadable(outcome: NcclOutcome, raw: bytes, problem: Text) -> RasAnswer:
    head = NcclVersion.parse(raw[:VERSION_WITHIN].decode(errors="replace"))
    reason = Reason.CUT if outcome is NcclOutcome.CUT else Reason.NONE
    version = str(head) if head else None
    return RasAnswer(outcome, reason, version, "json", reliable=False, problems=(problem,))


def _time(timestamp: str) -> datetime | None:
    try:
        return datetime.fromisoformat(timestamp)
    except ValueError:
        return None


def _signs(report: JsonReport) -> Iterator[Text]:
    if report.communicators_count != len(report.communicators):
        yield say("nccl-sign-json-count")
    for comm in report.communicators:
        if comm.size <= 0 or not int(padded(comm.hash), 16):
            yield say("nccl-sign-zeros")
        elif not _ranks_fit(comm):
            yield say("nccl-sign-block", hash=padded(comm.hash))


def _ranks_fit(comm: Comm) -> bool:
    if (len(comm.ranks), len(comm.missing_ranks)) != (comm.ranks_count, comm.missing_ranks_count):
        return False
    numbers = {rank.rank for rank in comm.ranks} | {rank.rank for rank in comm.missing_ranks}
    total = comm.ranks_count + comm.missing_ranks_count
    each_once = len(numbers) == total == comm.size
    return each_once and min(numbers) == 0 and max(numbers) == comm.size - 1 and _states_fit(comm)


def _states_fit(comm: Comm) -> bool:
    return all(
        rank.status.unresponsive or not rank.status.considered_dead for rank in comm.missing_ranks
    )


class _Lost:
    """The processes that did not answer, each once, split into dead and silent ones.

    Processes that RAS cannot name are counted in the communicator that has most of them.
    """

    def __init__(self, report: JsonReport | None) -> None:
        comms = report.communicators if report else ()
        lost = [[rank for rank in comm.missing_ranks if is_lost(rank)] for comm in comms]
        dead = [[rank for rank in ranks if rank.status.considered_dead] for ranks in lost]
        silent = [[rank for rank in ranks if not rank.status.considered_dead] for ranks in lost]
        self.dead, self.dead_unknown = _processes(dead)
        self.silent, self.silent_unknown = _processes(silent)


def _processes(ranks_by_comm: list[list[Missing]]) -> tuple[tuple[JobProcess, ...], int]:
    gpus: dict[tuple[str, int], set[int]] = {}
    for rank in chain.from_iterable(ranks_by_comm):
        if rank.pid >= 0:
            gpus.setdefault((rank.host, rank.pid), set()).add(rank.cuda_dev)
    processes = tuple(
        JobProcess(host, pid, tuple(sorted(numbers))) for (host, pid), numbers in gpus.items()
    )
    unknown = max((sum(r.pid < 0 for r in ranks) for ranks in ranks_by_comm), default=0)
    return processes, unknown


def _job(report: JsonReport) -> JobSummary:
    gpus: set[tuple[str, int, int]] = set()
    for comm in report.communicators:
        gpus.update((r.host, r.pid, r.cuda_dev) for r in comm.ranks if r.pid >= 0)
        gpus.update((r.host, r.pid, r.cuda_dev) for r in comm.missing_ranks if r.pid >= 0)
    return JobSummary(
        nodes=len({host for host, _, _ in gpus}),
        processes=len({(host, pid) for host, pid, _ in gpus}),
        gpus=len(gpus),
        derived=True,
        cuda_runtime=report.cuda_runtime_version,
        cuda_driver=report.cuda_driver_version,
        collection_seconds=report.ras.collection_time_sec,
        timeouts=report.ras.timeouts_count,
    )
