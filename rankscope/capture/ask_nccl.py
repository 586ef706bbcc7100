"""Asks NCCL about a job: one node first, others only if it fails; twice where a hang is suspected.

One node knows the state of the whole job, and every question costs the job something.
"""

import asyncio

import httpx
import msgspec

from rankscope.capture.answer import Answer, NcclLine, check
from rankscope.capture.ask import Question, ask
from rankscope.capture.request import CaptureRequest, Target
from rankscope.model.capture import NcclOutcome, Trigger

NCCL_S = 40.0
"""What one agent may take; it gives up by itself after 35 s."""
NCCL_TRIES = 3
"""Of more nodes than three silent ones none will tell either."""
SUSPICIOUS = frozenset({Trigger.HANG, Trigger.SLOW, Trigger.RECAPTURE})
"""Captures in which it matters whether the counts stand still."""
ELSEWHERE = frozenset(
    {NcclOutcome.REFUSED, NcclOutcome.FROZEN, NcclOutcome.CUT, NcclOutcome.NOT_INITIALISED}
)
"""How one node may fail where another one need not."""


async def ask_nccl(client: httpx.AsyncClient, request: CaptureRequest) -> tuple[Answer, ...]:
    """Return what the nodes that were asked answered, in the order of asking."""
    asked: list[Answer] = []
    for target in request.targets[:NCCL_TRIES]:
        answer, line = await _ask(client, request, target, sample=0)
        asked.append(answer)
        if line is None or line.outcome in ELSEWHERE:
            continue
        if line.outcome == NcclOutcome.ANSWERED and line.again and request.trigger in SUSPICIOUS:
            await asyncio.sleep(request.nccl_interval_s)
            again, _ = await _ask(client, request, target, sample=1)
            asked.append(again)
        break
    return tuple(asked)


async def _ask(
    client: httpx.AsyncClient, request: CaptureRequest, target: Target, *, sample: int
) -> tuple[Answer, NcclLine | None]:
    fields = {"job_id": request.job_id, "sample": sample, "progressed": request.progressed}
    file = request.spool / f"nccl-{request.targets.index(target)}-{sample}.lines"
    question = Question("/v1/nccl", msgspec.json.encode(fields), NCCL_S, file)
    answer = await ask(client, request, target, question)
    # An answer may have tens of megabytes, and other nodes must not wait for it to be checked.
    checked = await asyncio.to_thread(check, answer, request.secret)
    return answer, next((line.nccl for line, _ in checked.lines if line.nccl), None)
