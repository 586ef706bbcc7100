"""Asks all nodes of a job at once for the same moment, and gathers what they answered."""

import asyncio
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from rankscope.capture.answer import Answer, Checked, Line, check
from rankscope.capture.ask import Question, ask, new_client
from rankscope.capture.ask_nccl import ask_nccl
from rankscope.capture.request import CaptureRequest, Target
from rankscope.model.capture import CAPTURE_SCHEMA

FILES_PER_NODE = 2
SPARE_FILES = 128

Progress = Callable[[int], None]
"""Called with the number of nodes that are done, whenever it grows; must not block."""


@dataclass(frozen=True, slots=True)
class Collected:
    """What came back: the spooled answers, when sampling was to start (seconds), and of whom."""

    request: CaptureRequest
    start_at: float
    answers: tuple[Answer, ...]
    nccl: tuple[Answer, ...]

    def lines(self) -> Iterator[bytes]:
        """Yield the lines of the capture file (docs/capture-format.md), header first.

        Agents' lines are passed on exactly as they were signed, so that no field is lost.
        """
        yield msgspec.json.encode(self._header())
        for answer in self.answers:
            yield from _lines_of(answer.node, check(answer, self.request.secret), self.request)
        for answer in self.nccl:
            checked = check(answer, self.request.secret)
            yield from (raw for line, raw in checked.lines if line.nccl)

    @property
    def answered(self) -> int:
        """How many nodes answered to the end."""
        return sum(not answer.error for answer in self.answers)

    def _header(self) -> dict[str, object]:
        request = self.request
        return {
            "schema": CAPTURE_SCHEMA,
            "job_id": request.job_id,
            "print_id": request.print_id,
            "started_at": datetime.fromtimestamp(self.start_at, UTC).isoformat(),
            "trigger": request.trigger.value,
            "world_size": request.world_size,
            "samples": request.samples,
            "requested_nodes": [target.node for target in request.targets],
        }


def _lines_of(node: str, checked: Checked, request: CaptureRequest) -> Iterator[bytes]:
    others = {target.node for target in request.targets} - {node}
    kept = {line.sample: raw for line, raw in checked.lines if _is_sample(line, others)}
    for sample in range(request.samples):
        if sample in kept:
            yield kept[sample]
        else:
            reason = checked.error or "The agent ended its answer without this sample."
            yield msgspec.json.encode(_lost(node, sample, reason))


def _is_sample(line: Line, others: set[str]) -> bool:
    """Whether a line is a sample of its own node: no agent may speak for another node."""
    return not line.schema and line.nccl is None and line.node not in others


def _lost(node: str, sample: int, error: str) -> dict[str, object]:
    """Return the line of a node that did not answer: it keeps its row, with the reason."""
    absent: dict[str, object] = {"taken_at": None, "agent": None, "processes": []}
    return {"node": node, "sample": sample, "error": error, **absent}


async def collect(request: CaptureRequest, progress: Progress) -> Collected:
    """Ask all nodes and return what they answered; a node that fails is told of, never raised."""
    _allow_files(len(request.targets) * FILES_PER_NODE + SPARE_FILES)
    start_at = time.time() + request.lead_s
    body = msgspec.json.encode(_body(request, start_at))
    done = 0

    async def one(number: int, target: Target) -> Answer:
        nonlocal done
        file = request.spool / f"{number}.lines"
        question = Question("/v1/captures", body, request.node_deadline_s, file)
        answer = await ask(client, request, target, question)
        done += not answer.error
        progress(done)
        return answer

    async with new_client(request.trust) as client, asyncio.TaskGroup() as group:
        asked = [group.create_task(one(*pair)) for pair in enumerate(request.targets)]
        nccl = group.create_task(ask_nccl(client, request))
    answers = tuple(task.result() for task in asked)
    return Collected(request, start_at, answers, nccl.result())


def _body(request: CaptureRequest, start_at: float) -> dict[str, object]:
    return {
        "job_id": request.job_id,
        "samples": request.samples,
        "interval_s": request.interval_s,
        "start_at": start_at,
        "native": request.native,
        "budget_s": request.budget_s,
        # Agents that know no columns yet answer with interned stacks.
        "interned": True,
        "columns": True,
    }


def _allow_files(wanted: int) -> None:
    """Raise this process's limit of open files, as far as the system lets it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))
