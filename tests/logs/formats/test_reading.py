import pytest

from rankscope.logs.formats.reading import clock, duration_s, positive, whole


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0:02:55", 175),
        ("01:04", 64),
        ("1 day, 0:03:02", 86582),
        ("8 days, 22:03:04", 770584),
        ("10s", 10),
        ("3m 12s", 192),
        ("14d 6h 48m 17s", 1234097),
        ("?", None),
        ("", None),
    ],
)
def test_durations(text: str, seconds: float | None) -> None:
    assert duration_s(text) == seconds


def test_numbers() -> None:
    assert positive("1,204.5", 2) == 2409
    assert [positive(text) for text in ("nan", "inf", "0", "-1", "x", None)] == [None] * 6
    assert [whole("4.000"), whole("3,125"), whole("x"), whole("inf")] == [4, 3125, None, None]


def test_time_stamps() -> None:
    at, resolution = clock("[2026-02-03 04:05:06,345] x")
    later, whole_s = clock("2026/02/03 04:05:07 x")

    assert at is not None
    assert later is not None
    assert later - at == pytest.approx(0.655)
    assert (resolution, whole_s) == (0.001, 1.0)
    assert clock("no time") == (None, 0.0)
    assert clock("2026-13-45 04:05:06") == (None, 0.0)
