"""What a card shows of a slow-down: numbers, who says so, what happened meanwhile, a chart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from rankscope.cards.budget import Limits
from rankscope.cards.escape import plain
from rankscope.cards.view import IncidentView
from rankscope.model.capture import Trigger
from rankscope.model.slowness import Slowness, StepTime
from rankscope.model.text import Language
from rankscope.text import say

KINDS = frozenset({"severe", "moderate", "drift"})
MARKS = ("checkpoint", "evaluation", "skipped")
_UNIT = re.compile(r"[a-z]{1,8}(?:/[a-z]{1,8})?")
SECONDS_FROM_MS = 1000.0
FEWEST = 3
"""A chart of fewer steps shows nothing."""


@dataclass(frozen=True, slots=True)
class SlowRows:
    """A slow-down in sentences, and the chart as Feishu's `chart_spec`; None without times."""

    lines: tuple[str, ...]
    quiet: tuple[str, ...]
    chart: dict[str, object] | None


def slow_rows(view: IncidentView, limits: Limits, language: Language) -> SlowRows | None:
    """Return what the card shows, or None when its incident is no slow-down."""
    slow = view.incident.slow
    if slow is None or view.incident.kind not in {Trigger.SLOW, Trigger.HANG}:
        return None
    return SlowRows(
        lines=tuple(_lines(slow, language)),
        quiet=tuple(_quiet(slow, limits, language)),
        chart=chart(slow, language, limits.points),
    )


def says_it_all(view: IncidentView) -> bool:
    """Whether the alert's message has the numbers that the card shows anyway, as watch's has."""
    slow, message = view.incident.slow, view.incident.message
    if slow is None or view.incident.kind is not Trigger.SLOW:
        return False
    percent, times = f"{100 * slow.ratio:.0f}", f"{1 + slow.ratio:.2f}"
    return message == slow.line or (percent in message and times in message)


def _lines(slow: Slowness, language: Language) -> Iterator[str]:
    numbers = {
        "mean": length(slow.mean_ms, slow.unit),
        "baseline": length(slow.baseline_ms, slow.unit),
        "percent": f"{100 * slow.ratio:.0f}",
        "times": f"{1 + slow.ratio:.2f}",
        "rule": slow.tier,
    }
    if slow.first is None:
        yield say("card-slow-numbers", **numbers).of(language)
    else:
        yield say("card-slow-steps", first=slow.first, last=slow.last, **numbers).of(language)
    detail = slow.detail if slow.detail in KINDS else "unknown"
    yield say(f"card-slow-tier-{slow.tier}", detail=detail).of(language)
    known = [mark for mark in MARKS if mark in slow.during]
    if known:
        said = [say(f"slow-during-{mark}").of(language) for mark in known]
        what = say("card-slow-and").of(language).join(said)
        yield say("card-slow-during", what=what).of(language)
    if slow.recovered_ms is not None:
        mean = length(slow.recovered_ms, slow.unit)
        step = "?" if slow.recovered_at is None else slow.recovered_at
        yield say("card-slow-recovered", mean=mean, step=step).of(language)


def _quiet(slow: Slowness, limits: Limits, language: Language) -> Iterator[str]:
    if slow.line:
        yield plain(slow.line, limits.chars)
    for name in ("slow-caution", "slow-check-events", "slow-check-metrics")[: limits.cautions]:
        yield say(name).of(language)


def length(ms: float, unit: str = "ms") -> str:
    """Return a time as people read it: seconds from one second on."""
    if _unit(unit) != "ms":
        return f"{ms:.1f} {unit}"
    return f"{ms / 1000:.1f} s" if ms >= SECONDS_FROM_MS else f"{ms:.0f} ms"


def _unit(unit: str) -> str:
    """Return a unit that is one, such as `ms/sample`; it goes into markdown as it is."""
    return unit if _UNIT.fullmatch(unit) else "ms"


def chart(slow: Slowness, language: Language, points: int) -> dict[str, object] | None:
    """Return a line chart of the step times with the baseline, or None when there are too few."""
    if points < FEWEST or len(slow.series) < FEWEST:
        return None
    shown = _thinned(slow.series, points)
    seconds = _unit(slow.unit) == "ms" and max(one.ms for one in shown) >= SECONDS_FROM_MS
    unit, scale = ("s", 1000.0) if seconds else (_unit(slow.unit), 1.0)
    steps, base = (say(f"card-chart-{name}").of(language) for name in ("steps", "baseline"))
    values = [_point(one.step, one.ms / scale, steps) for one in shown]
    ends = (shown[0].step, shown[-1].step)
    values += [_point(step, slow.baseline_ms / scale, base) for step in ends]
    return {
        "type": "line",
        "title": {"text": say("card-chart-title", unit=unit).of(language)},
        "data": {"values": values},
        "xField": "step",
        "yField": "time",
        "seriesField": "kind",
        "legends": {"visible": True, "orient": "bottom"},
    }


def _point(step: int, value: float, kind: str) -> dict[str, object]:
    return {"step": str(step), "time": float(f"{value:.4g}"), "kind": kind}


def _thinned(series: Sequence[StepTime], points: int) -> list[StepTime]:
    """Return at most so many points, each the mean of some consecutive steps."""
    size = -(-len(series) // points)
    parts = [series[at : at + size] for at in range(0, len(series), size)]
    return [StepTime(part[-1].step, fmean(one.ms for one in part)) for part in parts]
