"""What an event tells of a slow-down, whoever sent it; pure.

`rankscope watch` fills the labels and the steps; adapters fill the labels from the platform's line.
"""

import math
from dataclasses import replace
from typing import get_args

from rankscope.logs.slow import read_warning
from rankscope.model.event import Event
from rankscope.model.slowness import Slowness, StepTime, Tier

MOST_STEPS = 120
"""What a chart on a phone can show; a longer series loses its beginning."""


def slowness_of(event: Event) -> Slowness | None:
    """Return how slow an event says a job is, or None when it gives no times."""
    labels = event.labels
    line = next((one.text for one in event.logs if read_warning(one.text)), "")
    warned = read_warning(line) or read_warning(event.message)
    mean = _number(labels.get("mean_ms", "")) or (warned.window.mean_ms if warned else None)
    base = _number(labels.get("baseline_ms", "")) or (warned.window.baseline_ms if warned else None)
    if not mean or not base:
        return None
    first, last = _iters(labels.get("iters", ""))
    if warned and first is None:
        first, last = warned.window.first, warned.window.last
    return Slowness(
        tier=_tier(labels.get("rule", "")),
        mean_ms=mean,
        baseline_ms=base,
        first=first,
        last=last,
        detail=labels.get("tier", ""),
        during=tuple(part for part in labels.get("during", "").split(",") if part),
        line=warned.text if warned else "",
        unit=labels.get("unit", "") or "ms",
        series=tuple(StepTime(s.step, s.ms, s.marks) for s in event.steps[-MOST_STEPS:]),
    )


def recovered(slow: Slowness | None, over: Slowness) -> Slowness | None:
    """Return the slow-down with what ended it; the chart then shows the end too."""
    if slow is None:
        return None
    return replace(
        slow,
        recovered_ms=over.mean_ms,
        recovered_at=over.last,
        series=over.series or slow.series,
    )


def _tier(word: str) -> Tier:
    """Return the tier; whoever sends no rule passes on what the platform said."""
    return next((tier for tier in get_args(Tier) if tier == word), "platform")


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number > 0 else None


def _iters(text: str) -> tuple[int | None, int | None]:
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (not last or last.isdecimal())) or len(text) > 40:
        return None, None
    return int(first), int(last or first)
