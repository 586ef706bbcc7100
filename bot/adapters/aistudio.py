"""The platform's own log lines: a text body, or JSON with the text in it.

The lines have no zone (RANKSCOPE_WEBHOOK_TIMEZONE) and no job: it comes in the address, or beside
the text. The wording of slow-down warnings is known exactly (rankscope.logs.slow).
"""

import re
from collections.abc import Iterator
from datetime import datetime

from bot.adapters.adapter import Adapter, Item, NothingTold
from bot.adapters.build import Fact, event_of, job
from bot.adapters.jobs import find_job, labelled_job
from bot.adapters.look import first, flat, items, mapping, moment, named, text
from bot.adapters.meanings import Meaning, known, meaning_of_alert
from rankscope.logs.slow import Window, parse_warning
from rankscope.model.event import Event, EventLog
from rankscope.text import say

_LINE = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?.*")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:[.,]\d+)?\s*(.*)")
_TEXTS = ("log", "text", "line", "lines", "content", "message", "msg")
_KNOWN = re.compile(
    r"Smoothed mean|Command running|(?:Bootcheck|Check) Finished|\bHang\b|挂起", re.ASCII
)
_STARTED = "Command running"
_CHECKED = re.compile(r"\b(?:Bootcheck|Check) Finished\b")
WORKER = "platform"


def _recognises(item: Item) -> bool:
    return any(_KNOWN.search(line) for line in _lines(item))


def _lines(item: Item) -> Iterator[str]:
    """Yield the dated lines, without what a collector put in front of the date."""
    for line in _text_of(item).splitlines():
        found = _LINE.search(line)
        if found:
            yield found[0].strip()


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


def _events(item: Item, line: str) -> list[Event]:
    dated = _TIME.match(line)
    if dated is None:
        return []
    window = parse_warning(line)
    meaning = known("job.slow") if window else _meaning(dated[2])
    if meaning is None:
        return []
    value = mapping(item.value)
    said = labelled_job(item.told, value, mapping(value, "labels"), mapping(value, "job"))
    job_id = find_job(
        item.told, [*said, named(flat(value), ("job.id", "job"))],
        hint="The lines do not name it.",
    )  # fmt: skip
    fact = Fact(
        source="aistudio",
        identity=(f"{window.first}-{window.last}" if window else "", dated[1]),
        meaning=meaning,
        job=job(job_id),
        time=_time(item, dated[1]),
        message=_say(item, window) if window else dated[2],
        logs=(EventLog(worker=WORKER, text=line[:4000]),),
    )
    return [event_of(fact, _labels(window) if window else {"reason": dated[2][:200]})]


def _time(item: Item, written: str) -> datetime | None:
    return moment(written, item.told.zone)


def _meaning(said: str) -> Meaning | None:
    if said.startswith(_STARTED):
        return known("job.running")
    if _CHECKED.search(said):
        return Meaning("job.notice", phase="starting")
    alert = meaning_of_alert("", [said]) if _KNOWN.search(said) else None
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
