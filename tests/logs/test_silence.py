from collections import deque

import pytest

from rankscope.logs.silence import REMEMBERED, Silence, percentile


def heard(silence: Silence, *times: float) -> Silence:
    for time in times:
        silence.heard(time)
    return silence


def test_nothing_is_too_long_before_the_first_step() -> None:
    silence = Silence(60)

    assert silence.lasts_s(1e9) == 0
    assert not silence.is_too_long(1e9)


def test_the_floor_counts_for_quick_steps() -> None:
    silence = heard(Silence(60), 0, 1, 2)

    assert silence.limit_s == 60
    assert not silence.is_too_long(62)
    assert silence.is_too_long(62.1)


def test_three_times_the_usual_interval_counts_for_slow_steps() -> None:
    silence = heard(Silence(60), 0, 100, 200)

    assert silence.limit_s == 300
    assert not silence.is_too_long(500)
    assert silence.is_too_long(501)


def test_one_long_step_among_many_does_not_stretch_the_limit() -> None:
    silence = Silence(1)
    heard(silence, *(10.0 * number for number in range(40)), 1000.0)

    assert silence.limit_s == 30


def test_only_the_last_intervals_count() -> None:
    silence = heard(Silence(1), 0, 1000, *(1000.0 + number for number in range(1, REMEMBERED + 1)))

    assert silence.limit_s == 3


def test_what_a_line_says_it_took_counts_when_old_lines_are_read_at_once() -> None:
    silence = Silence(60)

    for _ in range(5):
        silence.heard(7.0, expected_s=100)

    assert silence.limit_s == 300


def test_the_step_that_ends_a_hang_does_not_stretch_the_limit() -> None:
    silence = heard(Silence(1), 0, 10, 20)

    silence.heard(5000, regular=False)

    assert silence.limit_s == 30
    assert silence.lasts_s(5003) == 3


@pytest.mark.parametrize(
    ("values", "share", "expected"),
    [
        ([1.0], 0.95, 1.0),
        ([float(number) for number in range(1, 101)], 0.95, 95.0),
        ([float(number) for number in range(20, 0, -1)], 0.95, 19.0),
        ([1.0, 2.0], 0.0, 1.0),
    ],
)
def test_percentiles_are_by_nearest_rank(
    values: list[float], share: float, expected: float
) -> None:
    assert percentile(deque(values), share) == expected
