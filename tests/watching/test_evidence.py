from datetime import UTC, datetime

from rankscope.incidents.slowness import slowness_of
from rankscope.logs.progress import Happening, Kind
from rankscope.logs.slow import Window
from rankscope.model.event import EventJob
from rankscope.model.slowness import StepTime
from rankscope.watching.announce import describe, event_of
from rankscope.watching.evidence import labels_of, severity_of, steps_of

WINDOW = Window(83, 87, 9465.0, 3101.0, ("checkpoint", "evaluation"))
SERIES = (StepTime(86, 9465.123, ("checkpoint",)), StepTime(87, 9465.0))
SLOW = Happening(kind=Kind.SLOW, step=87, window=WINDOW, steps=SERIES)
ROBUST = Happening(
    kind=Kind.SLOW, step=87, window=Window(57, 87, 3700.0, 3101.0), rule="robust", tier="drift"
)


def test_labels_name_the_rule_the_numbers_and_what_happened() -> None:
    assert labels_of(SLOW) == {
        "rule": "seed",
        "iters": "83-87",
        "mean_ms": "9465.00",
        "baseline_ms": "3101.00",
        "ratio": "2.05",
        "during": "checkpoint,evaluation",
    }
    assert labels_of(Happening(kind=Kind.HANG, step=3)) == {}


def test_steps_are_rounded() -> None:
    assert [(one.step, one.ms, one.marks) for one in steps_of(SLOW)] == [
        (86, 9465.12, ("checkpoint",)),
        (87, 9465.0, ()),
    ]


def test_what_is_explained_or_only_suspected_is_for_information() -> None:
    severe = Happening(
        kind=Kind.SLOW, step=1, window=Window(1, 5, 9.0, 1.0), rule="robust", tier="severe"
    )

    assert severity_of(SLOW, "warning") == "info"
    assert severity_of(ROBUST, "warning") == "info"
    assert severity_of(severe, "warning") == "warning"
    assert severity_of(Happening(kind=Kind.HANG, step=1), "critical") == "critical"


def test_the_bot_reads_what_the_watcher_wrote() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    slow = slowness_of(event_of(SLOW, EventJob(id="jo-1"), now, "words"))
    suspected = slowness_of(event_of(ROBUST, EventJob(id="jo-1"), now, "words"))

    assert slow
    assert (slow.tier, slow.first, slow.last, slow.during) == ("seed", 83, 87, WINDOW.marks)
    assert slow.line.endswith("threshold ratio:2.05. Warning")
    assert [one.step for one in slow.series] == [86, 87]
    assert suspected
    assert (suspected.tier, suspected.detail, suspected.line) == ("robust", "drift", "")


def test_a_suspicion_is_told_as_one() -> None:
    assert "suspected" in describe(ROBUST).en
    assert "疑似" in describe(ROBUST).zh
