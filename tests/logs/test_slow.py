from collections.abc import Iterable, Iterator
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.logs.series import Sample
from rankscope.logs.slow import (
    SlowDown,
    SlowRule,
    Window,
    format_warning,
    parse_warning,
    read_warning,
)

FIRST = "2025-04-21 15:25:56 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms), threshold ratio:2.05. Warning"  # noqa: E501 - the platform's line
SECOND = "2025-04-21 15:27:26 Smoothed mean (iters 88-92: 16704.00 ms, baseline: 3101.00 ms), threshold ratio:4.39. Warning"  # noqa: E501


def windows(rule: SlowRule, samples: Iterable[Sample]) -> Iterator[Window]:
    return (window for window in map(rule.take, samples) if window)


def steady(first: int, last: int, ms: float, *, fresh: bool = False) -> list[Sample]:
    return [
        Sample(first=number, last=number, ms=ms, fresh=fresh and number == first)
        for number in range(first, last + 1)
    ]


def test_the_platforms_example_is_reproduced() -> None:
    steps = steady(1, 82, 3101) + steady(83, 87, 9465) + steady(88, 92, 16704)

    slow = [window for window in windows(SlowRule(), steps) if window.is_slow]

    times = datetime(2025, 4, 21, 15, 25, 56), datetime(2025, 4, 21, 15, 27, 26)
    assert [format_warning(at, one) for at, one in zip(times, slow, strict=True)] == [FIRST, SECOND]


@pytest.mark.parametrize("line", [FIRST, SECOND])
def test_a_warning_is_read_as_it_is_written(line: str) -> None:
    window = parse_warning(line)

    assert window is not None
    assert format_warning(datetime.fromisoformat(line[:19]), window) == line


@pytest.mark.parametrize(
    "line", ["", "Smoothed mean", FIRST[20:40], FIRST.replace("3101.00", "0.00")]
)
def test_other_lines_are_no_warnings(line: str) -> None:
    assert parse_warning(line) is None


@given(st.integers(1, 10**7), st.floats(1, 1e7), st.floats(1, 1e7))
def test_every_warning_can_be_read(first: int, mean: float, baseline: float) -> None:
    window = Window(first, first + 4, mean, baseline)

    read = parse_warning(format_warning(datetime(2026, 1, 1), window))

    assert read is not None
    assert (read.first, read.last) == (first, first + 4)
    assert read.mean_ms == pytest.approx(mean, abs=0.006)


@pytest.mark.parametrize(("mean", "slow"), [(180.0, True), (179.0, False), (305.2, True)])
def test_80_percent_more_than_the_baseline_is_slow(mean: float, *, slow: bool) -> None:
    assert Window(1, 5, mean, 100.0).is_slow is slow


def test_windows_follow_each_other_and_do_not_overlap() -> None:
    made = windows(SlowRule(), steady(1, 17, 100))

    assert [(window.first, window.last) for window in made] == [(3, 7), (8, 12), (13, 17)]


def test_the_baseline_is_the_fastest_window_so_far() -> None:
    steps = steady(1, 7, 300) + steady(8, 12, 200) + steady(13, 17, 250) + steady(18, 22, 100)

    baselines = [window.baseline_ms for window in windows(SlowRule(), steps)]

    assert baselines == [300, 300, 200, 200]


def test_a_line_of_several_steps_counts_as_often() -> None:
    steps = [
        Sample(first=10, last=10, ms=900, fresh=True),
        Sample(first=11, last=20, ms=100),
        Sample(first=21, last=30, ms=300),
    ]

    made = [(w.first, w.last, w.mean_ms) for w in windows(SlowRule(warm_up=1), steps)]

    assert made == [(11, 20, 100), (21, 30, 300)]


def test_after_a_restart_the_baseline_stays_and_slow_first_steps_are_left_out() -> None:
    rule = SlowRule()
    list(windows(rule, steady(1, 40, 100)))

    made = list(windows(rule, [*steady(31, 32, 9000, fresh=True), *steady(33, 37, 110)]))

    assert made == [Window(33, 37, 110, 100)]


def test_what_the_log_says_of_a_window_is_kept_with_it() -> None:
    steps = steady(1, 8, 100)
    steps[4] = Sample(first=5, last=5, ms=900, marks=("checkpoint",))

    [window] = windows(SlowRule(), steps)

    assert window.marks == ("checkpoint",)


@pytest.mark.parametrize("head", ["[worker-0] ", "2025-04-21T07:25:56Z "])
def test_a_warning_is_read_behind_what_a_collector_puts_in_front(head: str) -> None:
    warned = read_warning(head + FIRST + "\r")

    assert warned is not None
    assert (warned.text, warned.ratio) == (FIRST, 2.05)


def test_a_slow_down_begins_once_and_ends_after_two_calm_windows() -> None:
    slow_down = SlowDown()

    assert not slow_down.ends()
    assert slow_down.begins()
    assert not slow_down.begins()
    assert not slow_down.ends()
    assert not slow_down.begins()
    assert not slow_down.ends()
    assert slow_down.ends()
    assert not slow_down.ends()
    assert slow_down.begins()


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("2025-04-21 15:25:56.123 ", True),
        ("2025-04-21T15:25:56Z ", True),
        ("[2025-04-21 15:25:56] ", True),
        ("", True),
        ("2025-04-21 15:25:56.000 jo-1-worker-0 worker-0 | ", False),
        ("worker-0 | ", False),
    ],
)
def test_a_warning_is_read_behind_any_prefix(before: str, kept: bool) -> None:
    words = FIRST[20:]

    warned = read_warning(before + words)

    assert warned is not None
    assert (warned.window, warned.text) == (parse_warning(FIRST), before * kept + words)
