"""What one line says about a training step, and how its numbers are read."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

_CLOCK = re.compile(r"(\d{4})[-/](\d\d)[-/](\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{1,6}))?")
_PARTS = re.compile(r"(?<!\d)(\d{1,9}) ?(d|h|m|s)\b")
_COLONS = re.compile(r"(?:(\d{1,9}) days?, )?(?:(\d{1,9}):)?(\d{1,9}):(\d\d)(?:\.\d+)?$")
_PART_S = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
# How far into a line its time stamp may begin; further on it belongs to the message.
STAMP_WITHIN = 120

# Larger numbers are no times, and would overflow.
MOST = 1e15

# How a line tells the time, worst first: the best way a log offers is the one that counts.
COUNTED, CLOCKED, BAR, ELAPSED, OWN = range(5)


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A step that has ended, as one line tells it.

    ms is the mean time per step since the line before; elapsed_s the time since the start of the
    run or of its bar; average_ms the mean per step over that time; clock_s the line's time stamp.
    resolution_s is how coarsely elapsed_s or clock_s is printed. step is None when the line only
    shows that some steps have ended. shape is what legitimately sets the pace (batch size, sequence
    length), work the tokens of the step, marks what the line says happened in it. unit is `ms` or,
    where only a rate is known, `ms/sample`.
    """

    format: str
    variant: str = ""
    trust: int = CLOCKED
    step: int | None = None
    total: int | None = None
    ms: float | None = None
    elapsed_s: float | None = None
    average_ms: float | None = None
    clock_s: float | None = None
    resolution_s: float = 0.0
    shape: tuple[int, ...] = ()
    work: float | None = None
    unit: str = "ms"
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of line: it must contain the needle, and the reader must recognise it."""

    name: str
    needle: str
    read: Callable[[str], Reading | None]


def positive(text: str | None, factor: float = 1.0) -> float | None:
    """Return a number times a factor; None for no number, nan, zero and below, and above MOST."""
    try:
        value = factor * float((text or "").replace(",", ""))
    except ValueError:
        return None
    return value if 0 < value <= MOST else None


def whole(text: str | None) -> int | None:
    """Return an integer, also from `4.000` and `3,125`; None for anything else."""
    try:
        return int(float((text or "").replace(",", "")))
    except (ValueError, OverflowError):
        return None


def duration_s(text: str) -> float | None:
    """Return the seconds of `1 day, 0:03:02`, `1:04`, `4m 14s` or `1d 6h 48m 17s`; else None."""
    found = _COLONS.match(text)
    if found:
        days, hours, minutes, seconds = found.groups("0")
        return float(((int(days) * 24 + int(hours)) * 60 + int(minutes)) * 60 + int(seconds))
    parts = _PARTS.findall(text)
    return float(sum(int(count) * _PART_S[unit] for count, unit in parts)) if parts else None


def clock(text: str) -> tuple[float | None, float]:
    """Return a line's time stamp in seconds of an unnamed zone, and its resolution in seconds."""
    found = _CLOCK.search(text, 0, STAMP_WITHIN)
    if found is None:
        return None, 0.0
    year, month, day, time, fraction = found.groups()
    try:
        moment = datetime.fromisoformat(f"{year}-{month}-{day} {time}").replace(tzinfo=UTC)
    except ValueError:
        return None, 0.0
    if fraction is None:
        return moment.timestamp(), 1.0
    return moment.timestamp() + float(f"0.{fraction}"), float(10 ** -len(fraction))
