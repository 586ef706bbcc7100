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
        if self._held is None and not sample.resolution_s:
            return sample
        joined = sample if self._held is None else _joined(self._held, sample)
        if joined.count * joined.ms >= 1000 * ENOUGH * joined.resolution_s:
            self._held = None
            return joined
        self._held = joined
        return None


def _joined(held: Sample, sample: Sample) -> Sample:
    if sample.fresh or held.shape != sample.shape or held.last + 1 != sample.first:
        return sample
    before, more = held.count, sample.count
    marks = held.marks
    if sample.marks:
        marks = tuple(dict.fromkeys((*marks, *sample.marks)))
    return Sample(
        held.first,
        sample.last,
        (before * held.ms + more * sample.ms) / (before + more),
        marks,
        sample.shape,
        sample.work,
        sample.resolution_s,
        fresh=held.fresh,
        average=held.average,
        unit=sample.unit,
    )
