"""From the lines of a log to the times of its steps, each step once.

Several workers may print the same steps, interleaved: one of them is followed, another takes over
when it falls silent. Steps that begin anew are a restart. What explains a long step (a checkpoint,
an evaluation) stands before the line of that step and is noted with it. Memory does not grow.
"""

import re
from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from rankscope.logs.formats import Reading, read_step
from rankscope.logs.formats.huggingface import OTHER_BAR
from rankscope.logs.formats.marks import EVALUATION, RESTART, announced_total, mark_of
from rankscope.logs.formats.prefix import plain, who_printed
from rankscope.logs.formats.quick import QUICK, Quick, shows_bar
from rankscope.logs.formats.reading import BAR, COUNTED, OWN, clock

# How many lines of others prove that the worker followed has fallen silent.
TAKE_OVER_AFTER = 64
# No job has more steps; a larger number is damaged.
MOST_STEPS = 10**15
# Workers that share a stream lag by a line or two; further back is a restart.
LAG = 2
# A distance of more than this many usual intervals means that lines are missing.
GAP = 1.5


class Sample(msgspec.Struct, frozen=True):
    """Consecutive steps of one line; ms is the mean time of each.

    fresh: the first after a start or restart. average: only their mean since the start is known.
    anew: what was read before was no training, and its times compare with none of these.
    """

    first: int
    last: int
    ms: float
    marks: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()
    work: float | None = None
    resolution_s: float = 0.0
    fresh: bool = False
    average: bool = False
    anew: bool = False
    unit: str = "ms"

    @property
    def count(self) -> int:
        """How many steps it stands for."""
        return self.last - self.first + 1


class Series:
    """Reads one log; `format`, `variant` and `total` are of the best source of times so far."""

    def __init__(self) -> None:
        self.format = ""
        self.variant = ""
        self.total: int | None = None
        self.restarts = 0
        self._trust = COUNTED - 2
        self._source = ""
        self._bar_total: int | None = None
        self._bar_is_sure = False
        self._anew = False
        self._worker = ""
        self._others = 0
        self._text = ""
        self._last: Reading | None = None
        self._interval = 0
        self._marks: dict[str, None] = {}
        self._fresh = True
        self._begun = False
        self._counted = 0
        self._usual: Quick | None = None

    @property
    def step(self) -> int | None:
        """The number of the last step that has ended."""
        return self._last.step if self._last else None

    @property
    def trust(self) -> int:
        """How well the log tells the time of its steps; more is better."""
        return self._trust

    def read(self, line: str) -> Sample | None:
        """Take in a line and return the steps it completes, if any."""
        text = plain(line)
        reading = read_step(text)
        if reading is None or (reading.step or 0) > MOST_STEPS:
            self._note(text)
            return None
        if not (self._is_of_the_best_source(reading) and self._is_of_the_worker(reading, text)):
            return None
        self._usual = None
        if reading.marks:
            self._marks.update(dict.fromkeys(reading.marks))
        return self._take(reading if reading.step is not None else self._numbered(reading))

    def go_on(self, lines: Iterable[str]) -> tuple[int, list[Sample | None]]:
        """Take in lines as long as each ends a step and differs from the one before in numbers.

        Returns how many lines these were, with bars between them that tell nothing, and for each
        step what `read` would.
        """
        quick, last = QUICK.get(self._source), self._last
        usual = self._steady(quick) if quick else None
        if quick is None or usual is None or last is None or last.step is None:
            return 0, []
        same, shape, bar = usual.same, usual.shape, self._bar_of_training()
        resolution = 0.0 if usual.ms else last.resolution_s
        done: list[Sample | None] = []
        number, elapsed, interval, count = last.step, last.elapsed_s, self._interval, 0
        for line in lines:
            one = quick(line)
            if one is None and bar and shows_bar(line, bar):
                count += 1
                continue
            if one is None or one.same != same or "Smoothed" in line:
                break
            step = self._counted + 1 if one.step is None else one.step
            ms = _ms_of(one, step - number, interval, elapsed)
            if ms is None:
                break
            done.append(Sample(number + 1, step, ms, (), shape, None, resolution) if ms else None)
            count += 1
            interval, number, elapsed = step - number, step, one.elapsed_s
            self._gone_on(one, line, step, interval)
        if done:
            self._last = replace(last, step=number, elapsed_s=elapsed)
            self._begun = self._begun or done[-1] is not None
        return count, done

    def _gone_on(self, one: Quick, line: str, step: int, interval: int) -> None:
        self._interval, self._others, self._text = interval, 0, line
        if one.step is None:
            self._counted = step

    def _bar_of_training(self) -> str:
        """Return how many steps the training's bars show where a better source tells of them."""
        return str(self._bar_total) if self._trust > BAR and self._bar_is_sure else ""

    def _steady(self, quick: Callable[[str], Quick | None]) -> Quick | None:
        """Return the last line when it was a usual one and the next step has nothing to tell."""
        if self._usual is None:
            self._usual = quick(self._text)
        if self._usual is None or RESTART in self._marks:
            return None
        has_time = self._usual.step is not None
        return None if has_time and (self._fresh or self._anew or self._marks) else self._usual

    def _note(self, text: str) -> None:
        mark = mark_of(text)
        if mark:
            self._marks[mark] = None
            if _TRAINER.search(text) and self.format in {"", "progress-bar"}:
                self.format = "hf-trainer"
            return
        total = announced_total(text)
        if total:
            self._bar_total, self._bar_is_sure = total, True

    def _is_of_the_best_source(self, reading: Reading) -> bool:
        if reading.trust == BAR and not self._is_the_training_bar(reading):
            return False
        if reading.format == self.format:
            self.variant = reading.variant
        else:
            self._name(reading)
        if reading.trust == self._trust and reading.format == self._source:
            # Also when its time is missing or no number: it still ends a step.
            self.total = reading.total or self.total
            return True
        trust = reading.trust if _tells_time(reading) else COUNTED - (reading.step is None)
        if trust < self._trust or (trust == self._trust and reading.format != self._source):
            return False
        if trust > self._trust:
            self._adopt(reading, trust)
        self.total = reading.total or self.total
        return True

    def _name(self, reading: Reading) -> None:
        """Name the format; what is built on the Trainer shows itself by a line without times."""
        trainer = reading.format in _WITH_BARS and self.format in _PRECISION
        if trainer and _PRECISION.get(reading.format, 2) > _PRECISION[self.format]:
            self.format = reading.format
        if reading.format == self.format:
            self.variant = reading.variant

    def _adopt(self, reading: Reading, trust: int) -> None:
        """Follow a better source; what was known from the worse one does not compare."""
        if _PRECISION.get(reading.format, 2) >= _PRECISION.get(self.format, 2) or not self.format:
            self.format, self.variant = reading.format, reading.variant
        self._trust, self._source = trust, reading.format
        self._last, self._interval = None, 0

    def _is_the_training_bar(self, reading: Reading) -> bool:
        """Whether it is not a bar of an evaluation, which has fewer steps than the training.

        Of bars whose label nobody knows a longer one is no better.
        """
        sure = reading.variant != OTHER_BAR
        if sure and not self._bar_is_sure:
            self._anew = self._begun and self._bar_total != reading.total
            self._last = None if self._anew else self._last
            self._fresh = self._fresh or self._anew
            self._bar_total, self._bar_is_sure = reading.total, True
        longer = self._bar_total is None or (reading.total or 0) > self._bar_total
        if longer and sure == self._bar_is_sure:
            self._bar_total = reading.total
        if reading.total != self._bar_total:
            self._marks[EVALUATION] = None
            return False
        return True

    def _is_of_the_worker(self, reading: Reading, text: str) -> bool:
        worker = who_printed(text)
        if worker == self._worker or self._last is None:
            self._worker, self._others, self._text = worker, 0, text
            return True
        ahead = (reading.step or 0) - (self._last.step or 0)
        if ahead <= 0 and _is_earlier(text, self._text):
            return False  # One worker's log after another's: it tells of the same steps.
        self._others += 1
        if self._others < TAKE_OVER_AFTER and ahead <= (LAG + 1) * max(1, self._interval):
            return False
        self._worker, self._others, self._text = worker, 0, text
        self._last = replace(self._last, elapsed_s=None, clock_s=None)
        return True

    def _numbered(self, reading: Reading) -> Reading:
        """Count the steps of lines that do not name theirs."""
        self._counted += 1
        return replace(reading, step=self._counted)

    def _take(self, reading: Reading) -> Sample | None:
        last, step = self._last, reading.step or 0
        if last is None or last.step is None:
            return self._first(reading)
        ahead = step - last.step
        if ahead <= 0:
            again = self._restarted(-ahead, reading, last)
            return self._restart(reading) if again else None
        if self._marks:
            self._marks.pop(RESTART, None)
        count = self._count(ahead, reading)
        ms = reading.ms or _between_ms(last, reading, ahead)
        if ms is None and _too_soon(last, reading):
            return None  # The next line tells the time of both.
        if reading.elapsed_s is not None and _began_anew(last, reading):
            self._fresh = True
        self._last = reading
        return self._sample(reading, count, ms) if ms else None

    def _first(self, reading: Reading) -> Sample | None:
        """Take the first line; a time since the start counts when the run began with this log."""
        self._last, step = reading, reading.step or 0
        self._marks.pop(RESTART, None)
        if reading.ms:
            return self._sample(reading, 1, reading.ms)
        if reading.elapsed_s and step and not self._begun:
            steps = _since_start(reading, step)
            ms = _since_start_ms(reading, steps)
            return replace(self._sample(reading, steps, ms), average=True, marks=())
        return None

    def _restarted(self, back: int, reading: Reading, last: Reading) -> bool:
        if back == 0:
            return RESTART in self._marks or _began_anew(last, reading)
        return RESTART in self._marks or back > LAG * max(1, self._interval)

    def _restart(self, reading: Reading) -> Sample | None:
        self.restarts += 1
        self._last, self._fresh = reading, True
        self._marks.clear()
        return self._sample(reading, 1, reading.ms) if reading.ms else None

    def _count(self, distance: int, reading: Reading) -> int:
        """Return how many steps a line's own time is the mean of."""
        if reading.trust == OWN and self._interval and distance > GAP * self._interval:
            return self._interval
        self._interval = distance
        return distance

    def _sample(self, reading: Reading, count: int, ms: float) -> Sample:
        step, self._begun = reading.step or 0, True
        marks = self._marks
        sample = Sample(
            step - count + 1,
            step,
            ms,
            tuple(mark for mark in marks if mark != RESTART) if marks else (),
            reading.shape,
            reading.work,
            0.0 if reading.ms else reading.resolution_s,
            fresh=self._fresh,
            anew=self._anew,
            unit=reading.unit,
        )
        self._fresh = self._anew = False
        if marks:
            marks.clear()
        return sample


# The logs of these also hold bars without a name, and the dicts of the trainer they are built on.
_WITH_BARS = frozenset({"hf-trainer", "llama-factory", "ms-swift"})
_TRAINER = re.compile(r"\*{3,} Running training")
# Names that say less than others, of which a log may hold lines too; all others count 2.
_PRECISION = {"generic": 0, "progress-bar": 0, "hf-trainer": 1}


def _ms_of(one: Quick, ahead: int, interval: int, elapsed: float | None) -> float | None:
    """Return the time of each step of a line that goes on, 0 when it tells none; else None."""
    if one.ms:
        return one.ms if ahead == interval and ahead > 0 else None
    if ahead <= 0:
        return None
    if one.elapsed_s is None:
        return 0.0
    if elapsed is None or one.elapsed_s <= elapsed:
        return None
    return 1000 * (one.elapsed_s - elapsed) / ahead


def _tells_time(reading: Reading) -> bool:
    times = (reading.ms, reading.elapsed_s, reading.clock_s)
    return times != (None, None, None)


def _between_ms(last: Reading, reading: Reading, steps: int) -> float | None:
    pairs = ((last.elapsed_s, reading.elapsed_s), (last.clock_s, reading.clock_s))
    for before, after in pairs:
        if before is not None and after is not None and after > before:
            return 1000 * (after - before) / steps
    return None


def _too_soon(last: Reading, reading: Reading) -> bool:
    return last.elapsed_s is not None and last.elapsed_s == reading.elapsed_s


def _began_anew(last: Reading, reading: Reading) -> bool:
    if last.elapsed_s is None or reading.elapsed_s is None:
        return False
    return reading.elapsed_s < last.elapsed_s


def _is_earlier(text: str, other: str) -> bool:
    """Whether a line was written no later than another, if both say when."""
    (at, _), (then, _) = clock(text), clock(other)
    return at is not None and then is not None and at <= then


def _since_start(reading: Reading, step: int) -> int:
    """Return how many steps its elapsed time is of: that of a bar begins with its epoch."""
    if reading.trust == BAR and reading.total:
        return (step - 1) % reading.total + 1
    return step


def _since_start_ms(reading: Reading, step: int) -> float:
    """Return the mean since the start; a more precise one that the line prints is preferred.

    The two differ when the run was resumed, because the printed one leaves out earlier steps.
    """
    mean = 1000 * (reading.elapsed_s or 0.0) / step
    printed = reading.average_ms
    return printed if printed and abs(printed - mean) <= 0.1 * printed else mean
