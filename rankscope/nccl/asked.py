"""Turns what the client brought home into an answer, and asks again when another job answered."""

import math
import time
from collections.abc import Callable, Collection
from dataclasses import replace

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.client import Reply
from rankscope.nccl.client_words import outcome_of
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.nccl.read import read_answer
from rankscope.text import say

ASKED_AT_MOST = 4
"""Jobs of one user on one host share the port and answer at random; each question has a cost."""


def read_reply(reply: Reply) -> RasAnswer:
    """Read a reply; one that broke off is an answer that was cut, or no answer at all."""
    retries = max(0, reply.tries - 1)
    if reply.reason is Reason.NONE or reply.raw:
        answer = replace(read_answer(reply.raw), handshake_retries=retries, detail=reply.detail)
        return answer if reply.reason is Reason.NONE else _broken_off(answer, reply.reason)
    problem = say(f"nccl-problem-{reply.reason.replace('_', '-')}")
    return RasAnswer(
        outcome=reply.outcome,
        reason=reply.reason,
        format=reply.format,
        problems=(problem,),
        handshake_retries=retries,
        detail=reply.detail,
    )


def _broken_off(answer: RasAnswer, reason: Reason) -> RasAnswer:
    problem = say(f"nccl-problem-{reason.replace('_', '-')}")
    return RasAnswer(
        outcome=NcclOutcome.CUT,
        reason=Reason.CUT,
        nccl_version=answer.nccl_version,
        format=answer.format,
        problems=(problem, *answer.problems),
        handshake_retries=answer.handshake_retries,
        detail=answer.detail,
        unknown_lines=answer.unknown_lines,
    )


def ask_for(
    pids: Collection[int], once: Callable[[], Reply], end: float = math.inf
) -> tuple[Reply, RasAnswer]:
    """Ask until the job with these pids on this node answers, at most four times.

    pids are those the job itself sees (of its pid namespace); after end, in seconds of the
    monotonic clock, nobody is asked again. Without an answer of the job the outcome is `cut` with
    the reason `other_job`, and the last reply is kept for a person to see.
    """
    for _ in range(ASKED_AT_MOST):
        reply = once()
        answer = read_reply(reply)
        if belongs(answer, pids) is not False:
            return reply, answer
        if time.monotonic() > end:
            break
    other = RasAnswer(
        outcome=outcome_of(Reason.OTHER_JOB),
        reason=Reason.OTHER_JOB,
        nccl_version=answer.nccl_version,
        format=answer.format,
        problems=(say("nccl-problem-other-job"),),
    )
    return replace(reply, outcome=other.outcome, reason=other.reason), other


def belongs(answer: RasAnswer, pids: Collection[int]) -> bool | None:
    """Whether an answer is about the job with these pids; None where it names too few processes.

    A JSON answer names every process. A text answer names only those in trouble, so that it can
    show that it is about this job, but not that it is about another.
    """
    named = {p.pid for comm in answer.communicators for p in comm.processes.values()}
    named |= {process.pid for process in (*answer.dead, *answer.processes_missing)}
    if named & set(pids):
        return True
    every_process_named = answer.format == "json" and answer.reliable and bool(named)
    return False if every_process_named else None
