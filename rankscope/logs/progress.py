"""What happens to a job, from its log alone: it runs, hangs, resumes, slows down, recovers.

Pure: the caller reads lines and clock (seconds, of any clock that only goes forward).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from rankscope.logs.silence import FLOOR_S, Silence
from rankscope.logs.slow import SlowDown, SlowRule, Window, parse_warning
from rankscope.logs.steps import Step, parse_step


class Kind(StrEnum):
    """What happened."""

    RUNNING = "running"
    HANG = "hang"
    RESUMED = "resumed"
    SLOW = "slow"
    SLOW_RECOVERED = "slow_recovered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One change; step is the last that ended, restarts how often the steps began anew before."""

    kind: Kind
    step: int
    restarts: int = 0
    silent_s: float = 0.0
    limit_s: float = 0.0
    window: Window | None = None

    def id_of(self, job_id: str) -> str:
        """Return an id that is the same whenever the same log is read again."""
        restart = f"r{self.restarts}-" if self.restarts else ""
        return f"{job_id}-{self.kind}-{restart}{self.step}"


class Progress:
    """Follows one job."""

    def __init__(self, floor_s: float = FLOOR_S) -> None:
        self._silence = Silence(floor_s)
        self._rule = SlowRule()
        self._slow = SlowDown()
        self._last: Step | None = None
        self._timed = False
        self._hangs = False
        self._restarts = 0

    def line(self, text: str, now: float) -> Iterator[Happening]:
        """Take in a line of the log."""
        warning = parse_warning(text)
        if warning:
            yield from self._judge(warning)
            return
        step = parse_step(text)
        if step and self._counts(step):
            yield from self._step(step, now)

    def tick(self, now: float) -> Iterator[Happening]:
        """Notice that nothing came."""
        if self._last and not self._hangs and self._silence.is_too_long(now):
            self._hangs = True
            yield self._happening(Kind.HANG, self._last.number, now)

    def _counts(self, step: Step) -> bool:
        """Whether it is a new step; once steps have times, lines without are about others."""
        if self._timed and step.ms is None:
            return False
        self._timed = step.ms is not None
        return self._last is None or step.number != self._last.number

    def _step(self, step: Step, now: float) -> Iterator[Happening]:
        last, self._last = self._last, step
        begins_anew = last is not None and step.number < last.number
        self._restarts += begins_anew
        if self._hangs and last:
            yield self._happening(Kind.RESUMED, last.number, now)
        if last is None or begins_anew:
            yield self._happening(Kind.RUNNING, step.number, now)
        self._silence.heard(now, _expected_s(last, step), regular=not self._hangs)
        self._hangs = False
        window = self._rule.add(step)
        if window:
            yield from self._judge(window)

    def _judge(self, window: Window) -> Iterator[Happening]:
        if window.is_slow and self._slow.begins():
            yield self._of_window(Kind.SLOW, window)
        elif not window.is_slow and self._slow.ends():
            yield self._of_window(Kind.SLOW_RECOVERED, window)

    def _happening(self, kind: Kind, step: int, now: float) -> Happening:
        return Happening(
            kind=kind,
            step=step,
            restarts=self._restarts,
            silent_s=self._silence.lasts_s(now),
            limit_s=self._silence.limit_s,
        )

    def _of_window(self, kind: Kind, window: Window) -> Happening:
        return Happening(kind=kind, step=window.last, restarts=self._restarts, window=window)


def _expected_s(last: Step | None, step: Step) -> float:
    """Return how long the line says it took since the line before; 0 when it does not say."""
    count = step.number - last.number if last and step.number > last.number else 1
    return count * (step.ms or 0.0) / 1000
