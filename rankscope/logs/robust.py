"""A slow-down rule that does not take everyday events for one; what it finds is only suspected.

The pace of a job is the median of its last 100 steps, its noise their scaled median absolute
deviation. Left out are the first steps after each start, steps with a checkpoint or an evaluation
and steps whose update was skipped; another batch size or sequence length begins with a pace of its
own; where a line gives the tokens of a step, its time counts per token. Three tiers:

* severe: the median of 5 steps is 1.8 times the pace (the platform's threshold, on a median);
* moderate: the median of 7 steps exceeds the pace by six times the noise, at least 5 % and at most
  35 %, five steps in a row;
* drift: the median of 31 steps exceeds the fastest 50 in a row of the job by 15 %, or 1.8 times the
  noise where that is more, fifteen steps in a row; this finds what becomes slow bit by bit.

At least 20 steps must be known, and 20 lines for more than `severe`. That a change must last is
what keeps false alarms away (GREYHOUND, ATC '25: verification, not the detection of changes). The
numbers come from benchmarks/slowdown.py. While a job counts as slow its pace stays what it was. A
job that is slow from its first step cannot be found by this.
"""

from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from rankscope.logs.series import Sample
from rankscope.logs.warm_up import WarmUp

Tier = Literal["severe", "moderate", "drift"]

WARM_UP = 3
PACE_OF = 100
SETTLED = 20  # Steps that must be known before anything counts as slow.
SETTLED_LINES = 8  # The same for lines that stand for several steps; enough for `severe` only.
DELAY = 12  # Lines that are judged before they can become part of the pace,
FIRST_DELAY = 5  # and as long as the pace is not known well.
BLOCK = 50
SHAPES = 8  # Batch sizes and sequence lengths whose pace is remembered.
MAD_TO_SIGMA = 1.4826
SEVERE, SEVERE_OF = 0.8, 5
MODERATE_OF, MODERATE_LASTS = 7, 5
MODERATE_SIGMAS, MODERATE_LEAST, MODERATE_MOST = 6.0, 0.05, 0.35
DRIFT, DRIFT_SIGMAS, DRIFT_OF, DRIFT_LASTS = 0.15, 1.8, 31, 15
CALM = 5


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A slow-down that begins or is over; mean_ms is the median of the steps first to last."""

    first: int
    last: int
    mean_ms: float
    baseline_ms: float
    tier: Tier
    over: bool = False

    @property
    def ratio(self) -> float:
        """By how much of the baseline the median exceeds it."""
        return (self.mean_ms - self.baseline_ms) / self.baseline_ms


@dataclass(slots=True)
class _Pace:
    """What is usual for one batch size and sequence length: its last times, also in order."""

    times: deque[float] = field(default_factory=deque)
    ordered: list[float] = field(default_factory=list)
    usual: float = 0.0
    steps: int = 0
    block: list[float] = field(default_factory=list)
    fastest: float | None = None

    @property
    def noise(self) -> float:
        """The scaled median absolute deviation; it takes long, and is seldom needed."""
        usual = self.usual
        return MAD_TO_SIGMA * median([abs(one - usual) for one in self.ordered]) / usual

    def learn(self, ms: float, steps: int) -> None:
        times, ordered = self.times, self.ordered
        if len(times) == PACE_OF:
            del ordered[bisect_left(ordered, times.popleft())]
        times.append(ms)
        insort(ordered, ms)
        half, odd = divmod(len(ordered), 2)
        self.usual = ordered[half] if odd else (ordered[half - 1] + ordered[half]) / 2
        self.steps += steps
        self.block.append(ms)
        if len(self.block) == BLOCK:
            of_block = median(self.block)
            self.fastest = of_block if self.fastest is None else min(self.fastest, of_block)
            self.block.clear()


@dataclass(slots=True)
class _Recent:
    """The last steps and their times, and how many of these are high: at least `limit`.

    A watcher reads millions of steps, of which hardly any is slow. That a median is below a limit
    is known from how many of its values are, without any order.
    """

    steps: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=DRIFT_OF))
    times: deque[float] = field(default_factory=lambda: deque(maxlen=DRIFT_OF))
    limit: float = 0.0
    high: int = 0

    def add(self, sample: Sample, ms: float) -> None:
        times, limit = self.times, self.limit
        if len(times) == DRIFT_OF and times[0] >= limit:
            self.high -= 1
        if ms >= limit:
            self.high += 1
        times.append(ms)
        self.steps.append((sample.first, sample.last))

    def is_calm(self, soon: float, limit: float) -> bool:
        """Whether the medians of up to 7 steps are surely below soon, that of all below limit."""
        times = self.times
        if limit != self.limit:
            self.limit, self.high = limit, sum(one >= limit for one in times)
        if self.high > DRIFT_OF // 2:
            return False
        if len(times) <= MODERATE_OF // 2:
            return True
        # Four of seven, and so three of five.
        return times[-1] < soon and times[-2] < soon and times[-3] < soon and times[-4] < soon

    def median(self, count: int) -> float:
        """Return the median of the last steps, an odd number of them; 0 when there are fewer."""
        if len(self.times) < count:
            return 0.0
        return sorted(list(self.times)[-count:])[count // 2]


class Robust:
    """Follows one job."""

    def __init__(self) -> None:
        self._warm_up = WarmUp(WARM_UP)
        self._paces: dict[tuple[int, ...], _Pace] = {}
        self._shape: tuple[int, ...] | None = None
        self._work: float | None = None
        self._slow: tuple[Tier, float, float] | None = None
        self._forget_recent()

    @property
    def is_slow(self) -> bool:
        """Whether the job counts as slow."""
        return self._slow is not None

    def _forget_recent(self) -> None:
        self._recent = _Recent()
        self._waiting: deque[tuple[float, int]] = deque()
        self._moderate = self._drifts = self._calm = 0

    def take(self, sample: Sample) -> Suspicion | None:
        """Take in the steps of one line; return the slow-down that begins or ends with them."""
        if sample.fresh:
            self._forget_recent()
        if self._warm_up.skips(sample) or sample.marks or sample.average:
            return None
        if sample.shape != self._shape:
            self._reshape(sample.shape)
        ms = sample.ms if sample.work is None else self._per_work(sample)
        self._recent.add(sample, ms)
        if self._slow:
            return self._recovers()
        return self._judge(self._paces[sample.shape], ms, sample.count)

    def _reshape(self, shape: tuple[int, ...]) -> None:
        self._forget_recent()
        self._shape, self._slow = shape, None
        known = self._paces.pop(shape) if shape in self._paces else _Pace()
        self._paces[shape] = known
        if len(self._paces) > SHAPES:
            del self._paces[next(iter(self._paces))]

    def _per_work(self, sample: Sample) -> float:
        work = sample.work or 1.0
        self._work = self._work or work
        return sample.ms * self._work / work

    def _judge(self, pace: _Pace, ms: float, count: int) -> Suspicion | None:
        if pace.steps >= SETTLED and len(pace.ordered) >= SETTLED_LINES:
            usual = pace.usual
            fastest = pace.fastest or usual
            if self._recent.is_calm(usual * (1 + MODERATE_LEAST), fastest * (1 + DRIFT)):
                self._moderate = self._drifts = 0
            elif found := self._tier(pace, usual, fastest):
                tier, over, limit = found
                self._slow, self._calm = (tier, over, limit), 0
                return self._suspicion(tier, over, _OF[tier])
        waiting = self._waiting
        waiting.append((ms, count))
        while len(waiting) > (DELAY if len(pace.ordered) >= SETTLED else FIRST_DELAY):
            pace.learn(*waiting.popleft())
        return None

    def _tier(self, pace: _Pace, usual: float, fastest: float) -> tuple[Tier, float, float] | None:
        """Return the tier reached, the baseline, and what a median may be to be no longer slow."""
        moderate, drifting = self._recent.median(MODERATE_OF), self._recent.median(DRIFT_OF)
        if moderate < usual * (1 + MODERATE_LEAST) and drifting < fastest * (1 + DRIFT):
            self._moderate = self._drifts = 0  # Whatever the noise is.
            if self._recent.median(SEVERE_OF) < usual * (1 + SEVERE):
                return None
        noise = pace.noise
        share = min(max(MODERATE_SIGMAS * noise, MODERATE_LEAST), MODERATE_MOST)
        drift = max(DRIFT, DRIFT_SIGMAS * noise)
        self._moderate = self._moderate + 1 if moderate >= usual * (1 + share) else 0
        self._drifts = self._drifts + 1 if drifting >= fastest * (1 + drift) else 0
        if self._recent.median(SEVERE_OF) >= usual * (1 + SEVERE):
            return "severe", usual, usual * (1 + share / 2)
        if len(pace.ordered) < SETTLED:
            return None
        if self._moderate >= MODERATE_LASTS:
            return "moderate", usual, usual * (1 + share / 2)
        if self._drifts >= DRIFT_LASTS:
            return "drift", fastest, fastest * (1 + drift / 2)
        return None

    def _recovers(self) -> Suspicion | None:
        tier, baseline, calm = self._slow or ("severe", 0.0, 0.0)
        self._calm = self._calm + 1 if self._recent.median(MODERATE_OF) < calm else 0
        if self._calm < CALM or len(self._recent.steps) < MODERATE_OF:
            return None
        found = self._suspicion(tier, baseline, MODERATE_OF, over=True)
        self._slow = None
        self._forget_recent()
        return found

    def _suspicion(
        self, tier: Tier, baseline: float, count: int, *, over: bool = False
    ) -> Suspicion:
        steps = list(self._recent.steps)[-count:]
        return Suspicion(
            steps[0][0], steps[-1][1], self._recent.median(count), baseline, tier, over
        )


_OF: dict[Tier, int] = {"severe": SEVERE_OF, "moderate": MODERATE_OF, "drift": DRIFT_OF}
