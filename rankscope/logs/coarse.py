"""Times printed in whole seconds are put together until rounding no longer matters."""

from rankscope.logs.series import Sample

# With 20 times the resolution, rounding changes a mean by 5 % at most.
ENOUGH = 20


class Merger:
    """Joins consecutive samples that are too short for how coarsely they were measured."""

    def __init__(self) -> None:
        self._held: Sample | None = None

    def take(self, sample: Sample) -> Sample | None:
        """Take in a sample and return one that is long enough, or None."""
        joined = _joined(self._held, sample)
        if joined.count * joined.ms >= 1000 * ENOUGH * joined.resolution_s:
            self._held = None
            return joined
        self._held = joined
        return None


def _joined(held: Sample | None, sample: Sample) -> Sample:
    if held is None or sample.fresh or held.shape != sample.shape or held.last + 1 != sample.first:
        return sample
    return Sample(
        first=held.first,
        last=sample.last,
        ms=(held.count * held.ms + sample.count * sample.ms) / (held.count + sample.count),
        marks=tuple(dict.fromkeys((*held.marks, *sample.marks))),
        shape=sample.shape,
        work=sample.work,
        resolution_s=sample.resolution_s,
        fresh=held.fresh,
        average=held.average,
        unit=sample.unit,
    )
