from datetime import UTC, datetime

import pytest

from rankscope.logs.progress import Happening, Kind
from rankscope.logs.slow import Window
from rankscope.model.event import EventJob
from rankscope.watching.announce import describe, event_of

JOB = EventJob(id="jo-1")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WINDOW = Window(13, 17, 300.0, 100.0)


def happening(kind: Kind) -> Happening:
    window = WINDOW if kind in {Kind.SLOW, Kind.SLOW_RECOVERED} else None
    return Happening(kind=kind, step=17, silent_s=75.4, limit_s=60.0, window=window)


@pytest.mark.parametrize(
    ("kind", "type_", "state", "severity"),
    [
        (Kind.RUNNING, "job.state", "running", "info"),
        (Kind.HANG, "job.hang", "", "critical"),
        (Kind.RESUMED, "job.resumed", "", "info"),
        (Kind.SLOW, "job.slow", "", "warning"),
        (Kind.SLOW_RECOVERED, "job.slow_recovered", "", "info"),
    ],
)
def test_every_happening_is_an_event(kind: Kind, type_: str, state: str, severity: str) -> None:
    event = event_of(happening(kind), JOB, NOW, "words")

    assert (event.type, event.state, event.severity) == (type_, state, severity)
    assert (event.id, event.message, event.time) == (f"jo-1-{kind}-17", "words", NOW)


@pytest.mark.parametrize("kind", list(Kind))
def test_every_happening_can_be_told_in_both_languages(kind: Kind) -> None:
    text = describe(happening(kind))

    assert "17" in text.zh
    assert "17" in text.en
    assert text.zh != text.en


def test_a_slow_down_tells_percent_and_times_and_that_it_is_no_proof() -> None:
    text = describe(happening(Kind.SLOW))

    assert "200 % slower (3.00 times)" in text.en
    assert "慢 200%（约 3.00 倍）" in text.zh
    assert "不直接等同于硬件故障" in text.zh


def test_a_slow_down_brings_the_platforms_line() -> None:
    (log,) = event_of(happening(Kind.SLOW), JOB, NOW, "words").logs

    assert log.text == (
        "2026-01-01 00:00:00 Smoothed mean (iters 13-17: 300.00 ms, baseline: 100.00 ms), "
        "threshold ratio:2.00. Warning"
    )
