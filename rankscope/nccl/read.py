"""Reads whatever somebody has of NCCL RAS: a report, JSON, events, or the client's excuse."""

import re
from dataclasses import replace

from rankscope.nccl import grammar as g
from rankscope.nccl.client_words import RETRY, outcome_of, reason_of, words_answer
from rankscope.nccl.json_answer import json_answer
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.nccl.monitor import looks_like_events, monitor_answer
from rankscope.nccl.text_answer import text_answer
from rankscope.text import say

JSON_START = re.compile(rb"^\s*\{|^\s*\"(?:nccl_version|communicators)\"", re.MULTILINE)
TEXT_START = re.compile(r"^[NR]CCL version ", re.MULTILINE)
EVENT_START = re.compile(r"^\[\d{4}-", re.MULTILINE)
HEAD_BYTES = 8192
"""Within so many bytes a report begins; before it stand at most some lines of the client."""
BEGINNINGS = ("NCCL version ", "RCCL version ", "SERVER PROTOCOL ", "Connecting to ", "Connection ")


def read_answer(raw: bytes | str) -> RasAnswer:
    """Read an answer in any form of any version; never raises.

    Lines of the client or the protocol before and after a report are allowed.
    """
    data = raw if isinstance(raw, bytes) else raw.encode(errors="replace")
    head = data[:HEAD_BYTES].decode(errors="replace")
    if not TEXT_START.search(head) and (start := JSON_START.search(data[:HEAD_BYTES])):
        return _from_json(data, start.start())
    return _from_text(data.decode(errors="replace").replace("\r\n", "\n"))


def _from_json(data: bytes, start: int) -> RasAnswer:
    before = data[:start].decode(errors="replace")
    if looks_like_events(data[start : start + HEAD_BYTES].decode(errors="replace")):
        return monitor_answer(data[start:].decode(errors="replace"))
    end = data.rfind(b"}") + 1
    after = data[max(start, end) :].decode(errors="replace")
    # A tail that belongs to a cut answer stays with it, so that the answer stays unreadable.
    is_words = all(reason_of(line) for line in after.splitlines() if line.strip())
    body = data[start:end] if end > start and is_words else data[start:]
    return _with_surroundings(json_answer(body), before, after if is_words else "")


def _from_text(text: str) -> RasAnswer:
    if start := TEXT_START.search(text):
        body, after = _split_tail(text[start.start() :])
        return _with_surroundings(text_answer(body), text[: start.start()], after)
    if start := EVENT_START.search(text):
        return _with_surroundings(monitor_answer(text[start.start() :]), text[: start.start()], "")
    if _has_report_lines(text):
        return text_answer(text)
    return words_answer(text.split("\n")) or _foreign(text)


def _split_tail(text: str) -> tuple[str, str]:
    """Split off the lines that a client or a shell adds after a report."""
    lines = text.split("\n")
    keep = len(lines)
    while keep > 1 and (not lines[keep - 1] or lines[keep - 1].startswith("exit code: ")):
        keep -= 1
    tail = [line for line in lines[keep:] if line]
    return (text, "") if not tail else ("\n".join(lines[:keep]) + "\n", "\n".join(tail))


def _has_report_lines(text: str) -> bool:
    patterns = (g.HEADING, g.COLLECTION, g.RUNTIME, g.GROUP_HEAD, g.COMM_BLOCK)
    return any(pattern.match(line) for line in text.split("\n") for pattern in patterns)


def _with_surroundings(answer: RasAnswer, before: str, after: str) -> RasAnswer:
    lines = [line for line in (*before.splitlines(), *after.splitlines()) if line.strip()]
    strange = tuple(line for line in lines if reason_of(line) is None)
    return replace(
        answer,
        handshake_retries=lines.count(RETRY),
        unknown_lines=(*strange, *answer.unknown_lines),
    )


def _foreign(text: str) -> RasAnswer:
    start = text.lstrip()
    is_beginning = any(name.startswith(start[: len(name)]) for name in BEGINNINGS)
    reason = Reason.CUT if is_beginning else Reason.FOREIGN
    lines = tuple(line for line in text.split("\n") if line.strip())[:20]
    problem = say(f"nccl-problem-{reason}")
    return RasAnswer(outcome_of(reason), reason, problems=(problem,), unknown_lines=lines)
