"""The platform's own log lines: a text body, or JSON with the text in it.

The lines mostly have no zone (RANKSCOPE_WEBHOOK_TIMEZONE) and no job: it comes in the address, or
beside the text. The wording of slow-down warnings is known exactly (rankscope.logs.slow).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.adapters.adapter import Adapter, Item, NothingTold
from bot.adapters.build import Fact, event_of, job
from bot.adapters.jobs import find_job, labelled_job
from bot.adapters.look import first, flat, items, mapping, moment, named, text
from bot.adapters.meanings import Meaning, known, meaning_of_alert
from rankscope.logs.formats.prefix import plain
from rankscope.logs.slow import Window, parse_warning
from rankscope.model.event import Event, EventLog
from rankscope.text import say

_TIME = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:[.,]\d+)?(?P<zone>Z|[+-]\d\d:?\d\d)?\]?\s*"
)
# `jo-1-worker-0 worker-0 | ` and `worker-0 | ` in front of what a worker printed.
_WHO = re.compile(r"(?:[\w./-]+ +)?[\w./-]*\d[\w./-]* *\|\s*")
_TEXTS = ("log", "text", "line", "lines", "content", "message", "msg")
_KNOWN = re.compile(
    r"Smoothed mean|Command running|(?:Bootcheck|Check) Finished|Bootcheck item|\bHang\b|挂起",
    re.ASCII,
)
_HANGS = re.compile(r"\W{0,3}(?:Hang\b|(?:任务|作业|训练)?挂起)", re.ASCII)
_STARTED = "Command running"
_CHECKED = re.compile(r"\b(?:Bootcheck|Check) Finished\b")
_CHECK_FAILED = re.compile(
    r"(?:\bboot ?check\b|环境检测|启动检测).{0,80}?"
    r"(?:\b(?:failed|failure|abnormal|unhealthy)\b(?! ?[:=] ?0)|异常|失败|掉卡)",
    re.IGNORECASE | re.ASCII,
)
WORKER = "platform"


@dataclass(frozen=True, slots=True)
class _Line:
    """A line as the platform wrote it: its time and zone, both empty without, and its words."""

    written: str
    zone: str
    said: str
    text: str


def _recognises(item: Item) -> bool:
    """Recognise dated lines; those without a time come here by their address only."""
    return any(line.written and _KNOWN.search(line.said) for line in _lines(item))


def _lines(item: Item) -> Iterator[_Line]:
    """Yield the lines, without what a collector put in front of the date or the worker."""
    for raw in _text_of(item).splitlines():
        text = plain(raw).strip()
        found = _TIME.search(text)
        begin, end = found.span() if found else (0, 0)
        who = _WHO.match(text, end)
        said = text[who.end() if who else end :]
        zone = (found["zone"] or "") if found else ""
        yield _Line(found["time"] if found else "", zone, said, text[begin:])


def _text_of(item: Item) -> str:
    if isinstance(item.value, str):
        return item.value
    value = mapping(item.value)
    lists = ("\n".join(text(one) for one in items(value, name)) for name in _TEXTS)
    return first((*(text(value, name) for name in _TEXTS), *lists))


def _read(item: Item) -> list[Event]:
    events = [event for line in _lines(item) for event in _events(item, line)]
    if not events:
        raise NothingTold(
            "No line tells of the job: neither a slow-down, nor a hang, nor a check that ended.",
            "Send lines like `2025-01-01 08:00:00 Smoothed mean (iters …). Warning`.",
        )
    return events


def _events(item: Item, line: _Line) -> list[Event]:
    window = parse_warning(line.text)
    meaning = known("job.slow") if window else _meaning(line)
    if meaning is None:
        return []
    value = mapping(item.value)
    named_so = labelled_job(item.told, value, mapping(value, "labels"), mapping(value, "job"))
    job_id = find_job(
        item.told, [*named_so, named(flat(value), ("job.id", "job"))],
        hint="The lines do not name it.",
    )  # fmt: skip
    fact = Fact(
        source="aistudio",
        identity=(f"{window.first}-{window.last}" if window else "", line.written or line.said),
        meaning=meaning,
        job=job(job_id),
        time=moment(line.written + line.zone, item.told.zone),
        message=_say(item, window) if window else line.said,
        logs=(EventLog(worker=WORKER, text=line.text[:4000]),),
    )
    return [event_of(fact, _labels(window) if window else {"reason": line.said[:200]})]


def _meaning(line: _Line) -> Meaning | None:
    said = line.said
    if said.startswith(_STARTED):
        return known("job.running")
    if _CHECK_FAILED.search(said):
        return known("job.env_check_failed")
    if _CHECKED.search(said):
        return Meaning("job.notice", phase="starting")
    # Without a time it may be any program's line, unless it begins like the platform's.
    tells = (_KNOWN.search if line.written else _HANGS.match)(said)
    alert = meaning_of_alert("", [said]) if tells else None
    return alert if alert and alert.type == "job.hang" else None


def _labels(window: Window) -> dict[str, str]:
    return {
        "step": str(window.last),
        "iters": f"{window.first}-{window.last}",
        "mean_ms": f"{window.mean_ms:.2f}",
        "baseline_ms": f"{window.baseline_ms:.2f}",
        "ratio": f"{window.ratio:.2f}",
    }


def _say(item: Item, window: Window) -> str:
    said = say(
        "adapters-slow",
        first=window.first,
        last=window.last,
        mean=f"{window.mean_ms:.0f}",
        baseline=f"{window.baseline_ms:.0f}",
        percent=f"{100 * window.ratio:.0f}",
        times=f"{1 + window.ratio:.2f}",
    )
    return said.of(item.told.language)


ADAPTER = Adapter(name="aistudio", read=_read, recognises=_recognises)
