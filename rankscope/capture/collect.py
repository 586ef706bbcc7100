"""Collects a capture: all nodes at one agreed moment, partial answers kept, every gap explained."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from rankscope.capture.agent_client import AgentClient, Answer, agent_http, now_text
from rankscope.capture.request import CollectRequest, Target
from rankscope.settings import Settings

CAPTURES_PATH = "/v1/captures"
NCCL_PATH = "/v1/nccl"
NCCL_DEADLINE_S = 30.0
NO_ENDPOINT = "No agent on this node has sent a heartbeat. Start `rankscope agent` there."

Progress = Callable[[int], None]
"""Is told how many nodes have finished, each time one does."""


async def collect(
    request: CollectRequest, settings: Settings, spool: Path, progress: Progress
) -> list[bytes]:
    """Return the lines of the capture file (docs/capture-format.md); spool is an empty folder."""
    header = msgspec.json.encode(request.header(now_text()))
    async with agent_http() as http:
        key = settings.agent_secret.get_secret_value()
        client = AgentClient(http, key, settings.agent_networks)
        answers = await _ask_all(client, request, spool, progress)
        nccl = await _ask_nccl(client, request, answers, spool)
    lines = [header]
    for target, answer in zip(request.targets, answers, strict=True):
        lines += _node_lines(target, answer, request.timing.samples)
    return lines + nccl


async def _ask_all(
    client: AgentClient, request: CollectRequest, spool: Path, progress: Progress
) -> list[Answer]:
    timing, start_at = request.timing, time.time() + request.timing.lead_s
    body = {
        "job_id": request.job_id,
        "samples": timing.samples,
        "interval_s": timing.interval_s,
        "start_at": start_at,
        "budget_s": timing.budget_s,
    }
    done = 0

    async def ask(number: int, target: Target) -> Answer:
        nonlocal done
        answer = Answer(problem=NO_ENDPOINT)
        if target.endpoint:
            file = spool / f"{number}.lines"
            answer = await client.ask(target.endpoint, CAPTURES_PATH, body, file, timing.deadline_s)
        done += 1
        await asyncio.to_thread(progress, done)
        return answer

    return await asyncio.gather(*(ask(n, target) for n, target in enumerate(request.targets)))


async def _ask_nccl(
    client: AgentClient, request: CollectRequest, answers: Sequence[Answer], spool: Path
) -> list[bytes]:
    """Ask one node, the next only if it does not answer: one answer covers the whole job."""
    for number, target in _nccl_order(request.targets, answers):
        file = spool / f"{number}.nccl"
        body = {"job_id": request.job_id}
        answer = await client.ask(target.endpoint, NCCL_PATH, body, file, NCCL_DEADLINE_S)
        if answer.lines:
            return [line.encode() for line in answer.lines]
    return []


def _nccl_order(targets: Sequence[Target], answers: Sequence[Answer]) -> list[tuple[int, Target]]:
    answered = [n for n, answer in enumerate(answers) if answer.lines]
    answered.sort(key=lambda n: not _has_rank_0(answers[n]))
    return [(n, targets[n]) for n in answered[:3]]


class _Ranked(msgspec.Struct):
    rank: int | None = None


class _Glance(msgspec.Struct):
    """The little of a node line that the fan-out looks at."""

    sample: int = 0
    processes: list[_Ranked] = []


def _has_rank_0(answer: Answer) -> bool:
    sample = _glance(answer.lines[0])
    return sample is not None and any(process.rank == 0 for process in sample.processes)


def _glance(line: str) -> _Glance | None:
    try:
        return msgspec.json.decode(line, type=_Glance)
    except msgspec.DecodeError:
        return None


def _node_lines(target: Target, answer: Answer, samples: int) -> list[bytes]:
    """Return a node's lines as it sent them, and one for each sample that it did not send."""
    glances = [(line, _glance(line)) for line in answer.lines]
    kept = [line.encode() for line, glance in glances if glance is not None]
    seen = {glance.sample for _, glance in glances if glance is not None}
    problem = answer.problem or "The agent did not take this sample."
    missing = [number for number in range(samples) if number not in seen]
    return kept + [_gap(target.node, number, problem) for number in missing]


def _gap(node: str, sample: int, problem: str) -> bytes:
    gap = {"node": node, "sample": sample, "taken_at": None, "agent": None, "error": problem}
    return msgspec.json.encode({**gap, "processes": []})
