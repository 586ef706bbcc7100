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
from rankscope.logs.warm_up import WarmUp

WINDOW = 5
THRESHOLD = 0.8
_NEARLY = THRESHOLD - 1e-6
WARM_UP = 2
CALM_WINDOWS = 2

_LINE = re.compile(
    r"(?:\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? +)?"
    r"Smoothed mean \(iters (?P<first>\d{1,15})-(?P<last>\d{1,15}):"
    r" (?P<mean>\d{1,15}(?:\.\d{1,9})?) ms, baseline: (?P<baseline>\d{1,15}(?:\.\d{1,9})?) ms\),"
    r" threshold ratio:(?P<ratio>-?\d{1,15}(?:\.\d{1,9})?)\. Warning"
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
        # Rounded, so that floating point cannot make exactly 1.8 times the baseline not slow.
        ratio = self.ratio
        return ratio >= _NEARLY and round(ratio, 9) >= THRESHOLD


class SlowRule:
    """Collects steps into windows; the steps of one line count as equally long."""

    def __init__(self, warm_up: int = WARM_UP) -> None:
        self._warm_up = WarmUp(warm_up)
        self._baseline: float | None = None
        self._empty()

    def _empty(self) -> None:
        self._first: int | None = None
        self._count = 0
        self._total_ms = 0.0
        self._marks: dict[str, None] = {}

    def take(self, sample: Sample) -> Window | None:
        """Take in the steps of one line and return the window they complete."""
        if sample.fresh:
            self._empty()
        if self._warm_up.skips(sample):
            return None
        if self._first is None:
            self._first = sample.first
        count = sample.count
        self._count += count
        self._total_ms += count * sample.ms
        if sample.marks:
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


def format_warning(time: datetime | None, window: Window) -> str:
    """Return the platform's line; there is no blank after `ratio:`. Without a time it has none."""
    stamp = f"{time:%Y-%m-%d %H:%M:%S} " if time else ""
    return (
        f"{stamp}Smoothed mean (iters {window.first}-{window.last}:"
        f" {window.mean_ms:.2f} ms, baseline: {window.baseline_ms:.2f} ms),"
        f" threshold ratio:{window.ratio:.2f}. Warning"
    )


@dataclass(frozen=True, slots=True)
class Warned:
    """A line of the platform: its window, the ratio as it is printed, and its words."""

    window: Window
    ratio: float
    text: str


def read_warning(line: str) -> Warned | None:
    """Read a platform's line, whatever a collector has put in front of it; None for other lines."""
    found = _LINE.search(line) if "Smoothed mean" in line else None
    if found is None or float(found["baseline"]) <= 0:
        return None
    window = Window(
        int(found["first"]), int(found["last"]), float(found["mean"]), float(found["baseline"])
    )
    return Warned(window, float(found["ratio"]), found[0])


def parse_warning(line: str) -> Window | None:
    """Read a platform's line; its ratio follows from the two means."""
    warned = read_warning(line)
    return warned.window if warned else None
