"""The pace of a job beside the platform's rule: its last step times, and the robust rule's word."""

from collections import deque

from rankscope.logs.robust import Robust
from rankscope.logs.series import Sample
from rankscope.logs.slow import Window
from rankscope.model.slowness import StepTime

KEPT = 120
"""As many as a card's chart shows."""


class Pace:
    """Follows one job; small, and made of plain values, so that it can be written down."""

    def __init__(self) -> None:
        self._recent: deque[tuple[int, float, tuple[str, ...]]] = deque(maxlen=KEPT)
        self.unit = "ms"
        self._robust = Robust()

    @property
    def is_suspected(self) -> bool:
        """Whether the robust rule takes the job for slow."""
        return self._robust.is_slow

    @property
    def steps(self) -> tuple[StepTime, ...]:
        """The times of the last steps, oldest first; those before a restart are left out."""
        return tuple(StepTime(*one) for one in self._recent)

    def note(self, sample: Sample) -> None:
        """Take in the steps of one line, as they are printed."""
        if sample.fresh:
            self._recent.clear()
        if not sample.average:
            self._recent.append((sample.last, sample.ms, sample.marks))
        self.unit = sample.unit

    def judge(self, sample: Sample) -> tuple[Window, str] | None:
        """Take in steps that are long enough to compare.

        Returns the steps with which a suspected slow-down begins, or is over, and its kind.
        """
        robust = self._robust
        was, found = robust.is_slow, robust.take(sample)
        if found is None:
            return self._changed(sample) if was and not robust.is_slow else None
        marks = {mark for step, _, marks in self._recent if step >= found.first for mark in marks}
        window = Window(
            found.first, found.last, found.mean_ms, found.baseline_ms, tuple(sorted(marks))
        )
        return window, found.tier

    def _changed(self, sample: Sample) -> tuple[Window, str]:
        """Return the end of a suspicion for want of a pace: another batch size has begun."""
        return Window(sample.first, sample.last, sample.ms, sample.ms), ""
