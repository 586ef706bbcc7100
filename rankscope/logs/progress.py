"""What happens to a job, from its logs: it runs, hangs, resumes, slows down, recovers, ends.

Pure: the caller reads lines and clock (seconds, of any clock that only goes forward).
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from rankscope.logs.coarse import Merger
from rankscope.logs.ending import Ending, ending_of
from rankscope.logs.pace import Pace
from rankscope.logs.series import Sample, Series
from rankscope.logs.silence import FLOOR_S, Silence
from rankscope.logs.slow import SlowDown, SlowRule, Window, parse_warning
from rankscope.model.slowness import StepTime, Tier

TAKE_OVER = 3
"""Steps that another log tells of while the leading one tells of none, before it leads."""


class Kind(StrEnum):
    """What happened."""

    RUNNING = "running"
    HANG = "hang"
    RESUMED = "resumed"
    SLOW = "slow"
    SLOW_RECOVERED = "slow_recovered"
    LOG_SILENT = "log_silent"
    ENDED = "ended"
    STOPPED = "stopped"
    FAILED = "failed"


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
    """Follows one job through all its logs.

    Several workers may tell of the same steps, each in a log of its own. One log leads: its steps
    are the job's, and its times are judged. Another takes over when it goes on and the leader does
    not. The job hangs when no log tells of a step.
    """

    def __init__(self, floor_s: float = FLOOR_S) -> None:
        self._silence = Silence(floor_s)
        self._logs: dict[str, _Log] = {}
        self._leader = ""
        self._begin_times()
        self._last: int | None = None
        self._total: int | None = None
        self._hangs = False
        self._silent_log = False
        self._ended: Ending | None = None
        self._restarts = 0
        self._run = ""

    def _begin_times(self) -> None:
        self._merger = Merger()
        self._rule = SlowRule()
        self._slow = SlowDown()
        self._pace = Pace()

    def set_floor(self, floor_s: float) -> None:
        """Change the silence that is never a hang, as a new start of the watcher may."""
        self._silence.set_floor(floor_s)

    @property
    def step(self) -> int | None:
        """The last step of the job that has ended."""
        return self._last

    @property
    def ended(self) -> Ending | None:
        """How the job said that it ended, None as long as it goes on."""
        return self._ended

    def lines(self, texts: Sequence[str], now: float, log: str = "") -> list[Happening]:
        """Take in lines of one of the job's logs, which were read at the same time."""
        found: list[Happening] = []
        at = 0
        while at < len(texts):
            more = self._go_on(texts, at, now, log, found)
            if not more:
                found += self.line(texts[at], now, log)
            at += more or 1
        return found

    def _go_on(
        self, texts: Sequence[str], at: int, now: float, log: str, found: list[Happening]
    ) -> int:
        """Take in the lines that tell of the job's steps as expected; return how many."""
        one = self._logs.get(log)
        if one is None or log != self._leader or self._last is None or one.last != self._last:
            return 0
        if self._hangs or self._ended is not None or now < self._silence.last:
            return 0
        count, samples = one.series.go_on(islice(texts, at, None))
        if samples:
            one.last = self._last = one.series.step
            one.heard = now
            one.steps += len(samples)
            self._total = one.series.total or self._total
            self._silent_log = False
            self._silence.heard_all(now, [s.count * s.ms / 1000 if s else 0.0 for s in samples])
            for sample in samples:
                if sample:
                    self._timed(sample, found)
        return count

    def line(self, text: str, now: float, log: str = "") -> list[Happening]:
        """Take in a line of one of the job's logs; most tell of a step as expected."""
        if "Smoothed mean" in text and (warning := parse_warning(text)):
            return list(self._judge(warning, "platform"))
        one = self._logs.get(log)
        if one is None:
            one = self._logs[log] = _Log()
        sample = one.series.read(text)
        step = one.series.step
        found: list[Happening] = []
        if step is not None and step != one.last:
            one.last, one.heard = step, now
            one.steps += now >= self._silence.last
            if not self._run:
                self._run = _mark(text)
            if self._leads(log, one, now):
                self._total = one.series.total or self._total
                self._step(step, sample.count * sample.ms / 1000 if sample else 0.0, now, found)
        elif ending := ending_of(text):
            found += self._end(ending, now)
        if sample and log == self._leader:
            self._timed(sample, found)
        return found

    def _leads(self, log: str, one: "_Log", now: float) -> bool:
        """Whether a log with a step leads; if not, it is a sign of life."""
        if log == self._leader and self._last is not None:
            return True
        leader = self._logs.get(self._leader)
        if leader is None or self._last is None or self._hangs:
            self._lead(log)
        elif one.series.trust > leader.series.trust:
            self._lead(log)
            self._last = one.last  # Both tell of the same run; the other one is no restart.
        else:
            self._silence.alive(now)
            return False
        return True

    def _lead(self, log: str) -> None:
        self._leader = log
        self._forget_counts()

    def _forget_counts(self) -> None:
        for one in self._logs.values():
            one.steps = 0

    def looked(self, *, at_end: bool) -> None:
        """Take note that all logs were read, up to their ends or not.

        Only at the ends can logs be compared: a long one takes longer to be read.
        """
        leader = self._logs.get(self._leader)
        if leader is None or leader.steps or not at_end:
            self._forget_counts()
            return
        others = [(one.heard, log) for log, one in self._logs.items() if one.steps >= TAKE_OVER]
        if others:
            self._lead(max(others)[1])

    def is_suspect(self, now: float) -> bool:
        """Whether no step came for too long, in a job that has begun and has not ended."""
        begun = self._last is not None and self._ended is None
        return begun and not self._hangs and self._silence.is_too_long(now)

    def tick(self, now: float) -> Iterator[Happening]:
        """Notice that nothing came."""
        if self._last is not None and self.is_suspect(now):
            self._hangs = True
            yield self._happening(Kind.HANG, self._last, now)

    def alive(self, now: float) -> None:
        """Take note of a sign of life at a time, such as a checkpoint that was written."""
        self._silence.alive(now)

    def only_silent(self, now: float) -> Iterator[Happening]:
        """Take note that the job goes on although its log is silent; told once a silence."""
        if self._last is not None and not self._silent_log:
            self._silent_log = True
            yield self._happening(Kind.LOG_SILENT, self._last, now)

    def gone(self, now: float, *, failed: bool) -> Iterator[Happening]:
        """Take note that the job's processes are gone, whatever the log says."""
        complete = self._last is not None and self._last == self._total
        yield from self._end(
            Ending.FAILED if failed and not complete else Ending.DONE, now, stopped=not complete
        )

    def _end(self, ending: Ending, now: float, *, stopped: bool = False) -> Iterator[Happening]:
        if self._ended is not None:
            return
        self._ended, self._hangs = ending, False
        kind = Kind.STOPPED if stopped else Kind.ENDED
        if ending is Ending.FAILED:
            kind = Kind.FAILED
        yield self._happening(kind, self._last or 0, now)

    def _step(self, step: int, expected_s: float, now: float, found: list[Happening]) -> None:
        """Take in a step; expected_s is how long it took since the line before, if that is said."""
        last, self._last = self._last, step
        begins_anew = last is not None and (step < last or self._ended is not None)
        self._restarts += begins_anew
        if self._hangs and last is not None:
            found.append(self._happening(Kind.RESUMED, last, now))
        if last is None or begins_anew:
            found.append(self._happening(Kind.RUNNING, step, now))
        self._silence.heard(now, expected_s, regular=not self._hangs)
        self._hangs, self._silent_log, self._ended = False, False, None

    def _timed(self, sample: Sample, found: list[Happening]) -> None:
        if sample.anew:
            self._begin_times()
        self._pace.note(sample)
        enough = self._merger.take(sample)
        if enough is None:
            return
        window, suspected = self._rule.take(enough), self._pace.judge(enough)
        if window:
            found += self._judge(window, "seed")
        if suspected:
            found += self._suspect(*suspected)

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


class _Log:
    """One log; steps counts those ended while the leader's did not, heard is the last's time."""

    def __init__(self) -> None:
        self.series = Series()
        self.last: int | None = None
        self.steps = 0
        self.heard = 0.0


def _mark(first_step_line: str) -> str:
    """Return what names a run: its first step line, which holds its time or its losses."""
    return hashlib.sha256(first_step_line.encode(errors="replace")).hexdigest()[:8]
