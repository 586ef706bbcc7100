from rankscope.logs.coarse import Merger
from rankscope.logs.series import Sample


def test_exact_times_pass_as_they_are() -> None:
    sample = Sample(first=1, last=1, ms=5.0)

    assert Merger().take(sample) is sample


def test_whole_seconds_are_put_together_until_rounding_is_small() -> None:
    merger = Merger()
    taken = [
        merger.take(Sample(first=s, last=s, ms=ms, resolution_s=1.0, marks=marks))
        for s, ms, marks in ((1, 7000, ()), (2, 8000, ("checkpoint",)), (3, 6000, ()))
    ]

    assert taken[:2] == [None, None]
    assert taken[2] == Sample(
        first=1, last=3, ms=7000, resolution_s=1.0, marks=("checkpoint",)
    )  # fmt: skip


def test_what_does_not_follow_is_not_put_together() -> None:
    merger = Merger()
    merger.take(Sample(first=1, last=1, ms=9000, resolution_s=1.0))

    assert merger.take(Sample(first=9, last=9, ms=15000, resolution_s=1.0)) is None
