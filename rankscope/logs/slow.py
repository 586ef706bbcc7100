"""The platform's slow-down rule, and its line.

Steps are averaged in consecutive windows of five that do not overlap; a window is slow when its
mean exceeds the baseline, the mean of the fastest window so far of the same job, by 80 % of the
baseline or more. So 0.8 means 1.8 times as long, not 0.8 times. A warning says that the job is
slower than it was, not that hardware is at fault.

The platform's description does not say how many steps are left out at the start and when a
slow-down is over. Here the first two are left out, which gives the windows of its example (83-87,
88-92), and two windows in a row under the threshold end it. After a restart the baseline stays.
"""

import re
from dataclasses import dataclass
from datetime import datetime

from rankscope.logs.series import Sample
from rankscope.logs.steps import Step
from rankscope.logs.warm_up import WarmUp

WINDOW = 5
THRESHOLD = 0.8
WARM_UP = 2
CALM_WINDOWS = 2

_LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) Smoothed mean \(iters (?P<first>\d+)-(?P<last>\d+):"
    r" (?P<mean>[\d.]+) ms, baseline: (?P<baseline>[\d.]+) ms\),"
    r" threshold ratio:(?P<ratio>-?[\d.]+)\. Warning"
)


@dataclass(frozen=True, slots=True)
class Window:
    """The mean time of some consecutive steps, and the fastest such mean before it.

    marks is what the log says happened meanwhile: a checkpoint, an evaluation.
    """

    first: int
    last: int
    mean_ms: float
    baseline_ms: float
    marks: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """By how much of the baseline the mean exceeds it; 2.05 is 205 % slower, 3.05 times."""
        return (self.mean_ms - self.baseline_ms) / self.baseline_ms

    @property
    def is_slow(self) -> bool:
        """Whether the platform would warn."""
        return self.ratio >= THRESHOLD


class SlowRule:
    """Collects steps into windows; the steps of one line count as equally long."""

    def __init__(self, warm_up: int = WARM_UP) -> None:
        self._warm_up = WarmUp(warm_up)
        self._baseline: float | None = None
        self._last: int | None = None
        self._empty()

    def _empty(self) -> None:
        self._first: int | None = None
        self._count = 0
        self._total_ms = 0.0
        self._marks: dict[str, None] = {}

    def add(self, step: Step) -> Window | None:
        """Take in a step and return the window it completes; steps without a time are ignored."""
        if step.ms is None or step.number == self._last:
            return None
        last, self._last = self._last, step.number
        fresh = last is None or step.number < last
        count = 1 if last is None or fresh else step.number - last
        return self.take(
            Sample(first=step.number - count + 1, last=step.number, ms=step.ms, fresh=fresh)
        )

    def take(self, sample: Sample) -> Window | None:
        """Take in the steps of one line and return the window they complete."""
        if sample.fresh:
            self._empty()
        if self._warm_up.skips(sample):
            return None
        self._first = sample.first if self._first is None else self._first
        self._count += sample.count
        self._total_ms += sample.count * sample.ms
        self._marks.update(dict.fromkeys(sample.marks))
        return self._close(self._first, sample.last) if self._count >= WINDOW else None

    def _close(self, first: int, last: int) -> Window:
        mean = self._total_ms / self._count
        baseline = mean if self._baseline is None else self._baseline
        self._baseline = min(mean, baseline)
        window = Window(first, last, mean, baseline, tuple(self._marks))
        self._empty()
        return window


class SlowDown:
    """Follows the windows of one job and says when a slow-down begins and when it is over."""

    def __init__(self) -> None:
        self.is_slow = False
        self._calm = 0

    def begins(self) -> bool:
        """Take in a slow window; whether it is the first of its slow-down."""
        begins, self.is_slow, self._calm = not self.is_slow, True, 0
        return begins

    def ends(self) -> bool:
        """Take in a window that is not slow; whether the slow-down is now over."""
        self._calm += 1
        ends = self.is_slow and self._calm >= CALM_WINDOWS
        self.is_slow = self.is_slow and not ends
        return ends


def format_warning(time: datetime, window: Window) -> str:
    """Return the platform's line; there is no blank after `ratio:`."""
    return (
        f"{time:%Y-%m-%d %H:%M:%S} Smoothed mean (iters {window.first}-{window.last}:"
        f" {window.mean_ms:.2f} ms, baseline: {window.baseline_ms:.2f} ms),"
        f" threshold ratio:{window.ratio:.2f}. Warning"
    )


def parse_warning(line: str) -> Window | None:
    """Read a platform's line; its ratio follows from the two means."""
    found = _LINE.match(line.strip())
    if found is None or float(found["baseline"]) <= 0:
        return None
    return Window(
        int(found["first"]), int(found["last"]), float(found["mean"]), float(found["baseline"])
    )
