"""The first steps of a run are slow (compilation, caches) and tell nothing of its pace."""

from rankscope.logs.series import Sample


class WarmUp:
    """Leaves out a number of steps after each start."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._left = steps
        self._reaches_back = False

    def skips(self, sample: Sample) -> bool:
        """Whether these steps are to be left out.

        The first line of a log that prints every k-th step stands for k steps, although it cannot
        be seen from it alone; so that the second one counts when k covers the warm-up.
        """
        if sample.fresh:
            self._left = self._steps
        if self._left <= 0:
            return False
        if self._reaches_back and sample.count >= self._steps:
            self._left = 0
            return False
        self._left -= sample.count
        self._reaches_back = sample.fresh and sample.last > 1
        return True
