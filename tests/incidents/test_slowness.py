"""What an event tells of a slow-down."""

import pytest

from rankscope.incidents import handle_event
from rankscope.incidents.slowness import MOST_STEPS, slowness_of
from rankscope.model.event import Event, EventStep
from rankscope.model.slowness import StepTime
from rankscope.model.state import IncidentState
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import event, the_incident

LABELS = {
    "rule": "robust",
    "tier": "drift",
    "iters": "61-91",
    "mean_ms": "3700.5",
    "baseline_ms": "3101",
    "during": "checkpoint,evaluation",
}
STEPS = tuple(EventStep(step=n, ms=3000.0 + n) for n in range(1, 201))


def told(**labels: str) -> Event:
    return event("job.slow", labels=LABELS | labels, steps=STEPS)


def test_labels_and_steps_of_a_watcher_are_read() -> None:
    slow = slowness_of(told())

    assert slow
    assert (slow.tier, slow.detail, slow.first, slow.last) == ("robust", "drift", 61, 91)
    assert round(slow.ratio, 3) == 0.193
    assert slow.during == ("checkpoint", "evaluation")
    assert len(slow.series) == MOST_STEPS
    assert slow.series[-1] == StepTime(200, 3200.0)


def test_the_line_of_the_platform_is_read_in_a_message() -> None:
    line = (
        "2025-04-21 15:25:56 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms),"
        " threshold ratio:2.05. Warning"
    )
    slow = slowness_of(event("job.slow", message=line))

    assert slow
    assert (slow.tier, slow.first, slow.mean_ms, slow.line) == ("platform", 83, 9465.0, line)


@pytest.mark.parametrize(
    "labels",
    [
        {"mean_ms": "fast"},
        {"mean_ms": "nan"},
        {"baseline_ms": "0"},
        {"baseline_ms": "-3"},
        {"baseline_ms": "inf"},
    ],
)
def test_impossible_numbers_are_none(labels: dict[str, str]) -> None:
    assert slowness_of(told(**labels)) is None


@pytest.mark.parametrize("iters", ["", "x-y", "1-", "-3", "9" * 50])
def test_odd_steps_are_left_out(iters: str) -> None:
    slow = slowness_of(told(iters=iters))

    assert slow
    assert slow.first == (1 if iters == "1-" else None)


def test_a_recovery_is_shown_on_the_card_that_it_ends(running: State, settings: Settings) -> None:
    handle_event(running, told(), settings)
    over = LABELS | {"mean_ms": "3100", "iters": "110-116"}
    handle_event(running, event("job.slow_recovered", 1, labels=over), settings)

    incident = the_incident(running)
    assert incident.state is IncidentState.RESUMED
    assert incident.slow
    assert (incident.slow.recovered_ms, incident.slow.recovered_at) == (3100.0, 116)
    assert incident.slow.mean_ms == 3700.5


def test_a_recovery_without_numbers_ends_it_all_the_same(
    running: State, settings: Settings
) -> None:
    handle_event(running, told(), settings)
    handle_event(running, event("job.slow_recovered", 1), settings)

    assert the_incident(running).state is IncidentState.RESUMED
