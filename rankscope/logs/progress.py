"""What happens to a job, from its log alone: it runs, hangs, resumes, slows down, recovers.

Pure: the caller reads lines and clock (seconds, of any clock that only goes forward).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rankscope.logs.coarse import Merger
from rankscope.logs.pace import Pace
from rankscope.logs.series import Sample, Series
from rankscope.logs.silence import FLOOR_S, Silence
from rankscope.logs.slow import SlowDown, SlowRule, Window, parse_warning
from rankscope.model.slowness import StepTime, Tier


class Kind(StrEnum):
    """What happened."""

    RUNNING = "running"
    HANG = "hang"
    RESUMED = "resumed"
    SLOW = "slow"
    SLOW_RECOVERED = "slow_recovered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One change; step is the last that ended, restarts how often the steps began anew before.

    run tells one run of a job from another: both may hang at the same step. rule says who found a
    slow-down, tier of which kind the robust rule's is; steps are the last ones, in `unit`.
    """

    kind: Kind
    step: int
    restarts: int = 0
    run: str = ""
    silent_s: float = 0.0
    limit_s: float = 0.0
    window: Window | None = None
    rule: Tier = "seed"
    tier: str = ""
    unit: str = "ms"
    steps: tuple[StepTime, ...] = ()

    def id_of(self, job_id: str) -> str:
        """Return an id that is the same whenever the same log is read again."""
        restart = f"r{self.restarts}-" if self.restarts else ""
        run = f"{self.run}-" if self.run else ""
        rule = "robust-" if self.rule == "robust" else ""
        return f"{job_id}-{self.kind}-{rule}{run}{restart}{self.step}"


class Progress:
    """Follows one job."""

    def __init__(self, floor_s: float = FLOOR_S) -> None:
        self._silence = Silence(floor_s)
        self._series = Series()
        self._merger = Merger()
        self._rule = SlowRule()
        self._slow = SlowDown()
        self._pace = Pace()
        self._last: int | None = None
        self._hangs = False
        self._restarts = 0
        self._run = ""

    def line(self, text: str, now: float) -> Iterator[Happening]:
        """Take in a line of the log."""
        warning = parse_warning(text)
        if warning:
            yield from self._judge(warning, "platform")
            return
        samples = list(self._series.read(text))
        step = self._series.step
        if step is not None and step != self._last:
            self._run = self._run or _mark(text)
            yield from self._step(step, sum(one.count * one.ms for one in samples) / 1000, now)
        for sample in samples:
            yield from self._timed(sample)

    def tick(self, now: float) -> Iterator[Happening]:
        """Notice that nothing came."""
        if self._last is not None and not self._hangs and self._silence.is_too_long(now):
            self._hangs = True
            yield self._happening(Kind.HANG, self._last, now)

    def _step(self, step: int, expected_s: float, now: float) -> Iterator[Happening]:
        """Take in a step; expected_s is how long it took since the line before, if that is said."""
        last, self._last = self._last, step
        begins_anew = last is not None and step < last
        self._restarts += begins_anew
        if self._hangs and last is not None:
            yield self._happening(Kind.RESUMED, last, now)
        if last is None or begins_anew:
            yield self._happening(Kind.RUNNING, step, now)
        self._silence.heard(now, expected_s, regular=not self._hangs)
        self._hangs = False

    def _timed(self, sample: Sample) -> Iterator[Happening]:
        self._pace.note(sample)
        enough = self._merger.take(sample)
        if enough is None:
            return
        window, suspected = self._rule.take(enough), self._pace.judge(enough)
        if window:
            yield from self._judge(window, "seed")
        if suspected:
            yield from self._suspect(*suspected)

    def _judge(self, window: Window, rule: Tier) -> Iterator[Happening]:
        if window.is_slow and self._slow.begins():
            yield self._of_window(Kind.SLOW, window, rule)
        elif not window.is_slow and self._slow.ends() and not self._pace.is_suspected:
            yield self._of_window(Kind.SLOW_RECOVERED, window, rule)

    def _suspect(self, window: Window, tier: str) -> Iterator[Happening]:
        """Tell what only the robust rule has found; what both have found is over with the last."""
        if not self._slow.is_slow:
            kind = Kind.SLOW if self._pace.is_suspected else Kind.SLOW_RECOVERED
            yield self._of_window(kind, window, "robust", tier)

    def _happening(self, kind: Kind, step: int, now: float) -> Happening:
        return Happening(
            kind=kind,
            step=step,
            restarts=self._restarts,
            run=self._run,
            silent_s=self._silence.lasts_s(now),
            limit_s=self._silence.limit_s,
        )

    def _of_window(self, kind: Kind, window: Window, rule: Tier, tier: str = "") -> Happening:
        return Happening(
            kind=kind,
            step=window.last,
            restarts=self._restarts,
            run=self._run,
            window=window,
            rule=rule,
            tier=tier,
            unit=self._pace.unit,
            steps=self._pace.steps,
        )


def _mark(first_step_line: str) -> str:
    """Return what names a run: its first step line, which holds its time or its losses."""
    return hashlib.sha256(first_step_line.encode(errors="replace")).hexdigest()[:8]
