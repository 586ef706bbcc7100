"""A training step, as the watcher counts it."""

from dataclasses import dataclass

from rankscope.logs.formats import read_step
from rankscope.logs.formats.prefix import plain


@dataclass(frozen=True, slots=True)
class Step:
    """A step that has ended; ms is the mean time per step since the line before, if it says so."""

    number: int
    total: int | None = None
    ms: float | None = None


def parse_step(line: str) -> Step | None:
    """Return the step that one line tells of by itself, or None."""
    reading = read_step(plain(line))
    if reading is None or reading.step is None:
        return None
    return Step(reading.step, reading.total, reading.ms)
