"""Everything a log tells about slow-downs, by the three rules, each under its own name.

`platform`: a warning the platform wrote, as it is. `seed`: the platform's rule applied to the step
times of the log (rankscope.logs.slow). `robust`: the rule of rankscope.logs.robust; what only it
finds is suspected. However long the log is, only the last steps, windows and alerts are kept; the
counts are of all.
"""

from collections import Counter, deque
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Literal

from rankscope.logs.coarse import Merger
from rankscope.logs.formats.prefix import plain
from rankscope.logs.formats.reading import clock
from rankscope.logs.formats.straggler import FORMAT, Straggler, read_straggler
from rankscope.logs.robust import Robust, Suspicion
from rankscope.logs.series import Sample, Series
from rankscope.logs.slow import SlowDown, SlowRule, Warned, Window, format_warning, read_warning

Rule = Literal["platform", "seed", "robust"]
PLATFORM_FORMAT = "platform"
KEPT = 1000
MEDIAN_OF = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """Steps that were slow, or, among the recovered, no longer; times in ms.

    mean_ms of the robust rule is a median. line is the platform's line, exactly. during is what the
    log says happened in those steps: with a checkpoint or an evaluation it is for information only.
    """

    rule: Rule
    first: int
    last: int
    mean_ms: float
    baseline_ms: float
    ratio: float
    during: tuple[str, ...] = ()
    tier: str = ""
    line: str = ""

    @property
    def level(self) -> str:
        """`warning`, `suspected` (robust rule), or `info` when the log explains it."""
        if self.rule == "robust":
            return "suspected"
        return "info" if self.during else "warning"


class SlowReport:
    """Takes in a log line by line; read it at any time."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.series = Series()
        self.samples: deque[Sample] = deque(maxlen=KEPT)
        self.windows: deque[Window] = deque(maxlen=KEPT)
        self.alerts: deque[Alert] = deque(maxlen=KEPT)
        self.recovered: deque[Alert] = deque(maxlen=KEPT)
        self.stragglers: deque[Straggler] = deque(maxlen=KEPT)
        self._begin()

    def _begin(self) -> None:
        self._merger = Merger()
        self._seed = SlowRule()
        self._seed_state = SlowDown()
        self._robust = Robust()

    @property
    def format(self) -> str:
        """The framework whose lines were found, empty when none were."""
        if self.series.format:
            return self.series.format
        if self.stragglers:
            return FORMAT
        return PLATFORM_FORMAT if self.counts["platform_lines"] else ""

    @property
    def unit(self) -> str:
        """What the times are: `ms`, or `ms/sample` where the log only has a rate."""
        return self.samples[-1].unit if self.samples else "ms"

    @property
    def usual_ms(self) -> float | None:
        """The median of the last step times."""
        return median(one.ms for one in list(self.samples)[-MEDIAN_OF:]) if self.samples else None

    def line(self, text: str) -> None:
        """Take in a line."""
        self.counts["lines"] += 1
        warned = read_warning(text)
        if warned:
            self._platform(warned)
            return
        sample = self.series.read(text)
        if sample:
            self._sample(sample, text)
        straggler = read_straggler(text)
        if straggler:
            self.stragglers.append(straggler)
        elif "Command running..." in text:
            self.counts["platform_lines"] += 1

    def _platform(self, warned: Warned) -> None:
        self.counts["platform_lines"] += 1
        window = warned.window
        self._alert(
            Alert(
                rule="platform",
                first=window.first,
                last=window.last,
                mean_ms=window.mean_ms,
                baseline_ms=window.baseline_ms,
                ratio=warned.ratio,
                line=warned.text,
            )
        )

    def _sample(self, sample: Sample, text: str) -> None:
        if sample.anew:
            self._forget()
        self.counts["steps"] += sample.count
        self.samples.append(sample)
        enough = self._merger.take(sample)
        if enough is None:
            return
        window = self._seed.take(enough)
        if window:
            self._window(window, text)
        suspicion = self._robust.take(enough)
        if suspicion:
            self._suspicion(suspicion)

    def _forget(self) -> None:
        """Forget the steps so far: they were those of something else than the training."""
        self._begin()
        for kept in (self.samples, self.windows, self.recovered):
            kept.clear()
        warned = [one for one in self.alerts if one.rule == "platform"]
        self.alerts = deque(warned, maxlen=KEPT)
        self.counts["steps"] = self.counts["windows"] = 0
        self.counts["alerts"] = len(warned)

    def _window(self, window: Window, text: str) -> None:
        self.counts["windows"] += 1
        self.windows.append(window)
        if window.is_slow:
            self._seed_state.begins()
            self._alert(_of_window(window, format_warning(_time(text), window)))
        elif self._seed_state.ends():
            self.recovered.append(_of_window(window))

    def _suspicion(self, suspicion: Suspicion) -> None:
        alert = Alert(
            rule="robust",
            first=suspicion.first,
            last=suspicion.last,
            mean_ms=suspicion.mean_ms,
            baseline_ms=suspicion.baseline_ms,
            ratio=suspicion.ratio,
            tier=suspicion.tier,
        )
        if suspicion.over:
            self.recovered.append(alert)
        else:
            self._alert(alert)

    def _alert(self, alert: Alert) -> None:
        self.counts["alerts"] += 1
        self.alerts.append(alert)


def _of_window(window: Window, line: str = "") -> Alert:
    return Alert(
        rule="seed",
        first=window.first,
        last=window.last,
        mean_ms=window.mean_ms,
        baseline_ms=window.baseline_ms,
        ratio=window.ratio,
        during=window.marks,
        line=line,
    )


def _time(text: str) -> datetime | None:
    seconds, _ = clock(plain(text))
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
