"""What events make of a job, in whatever order they come."""

from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.incidents.job_events import apply_event
from rankscope.model.capture import Trigger
from rankscope.model.event import Event, EventJob, EventNode
from rankscope.model.state import Job, JobState
from tests.incidents.conftest import BEGIN, event

NEW = Job(id="jo-1")
NOW = (BEGIN + timedelta(days=1)).timestamp()
STATES = [state for state in JobState if state is not JobState.UNKNOWN]


def after(*events: Event) -> Job:
    job = NEW
    for one in events:
        job = apply_event(job, one, NOW).job
    return job


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("job.hang", JobState.HANG),
        ("job.slow", JobState.SLOW),
        ("job.failed", JobState.FAILED),
        ("job.succeeded", JobState.SUCCEEDED),
        ("job.stopped", JobState.STOPPED),
        ("job.resumed", JobState.RUNNING),
        ("job.unheard_of", JobState.UNKNOWN),
        ("node.hang", JobState.UNKNOWN),
        ("job.slow_recovered", JobState.UNKNOWN),
    ],
)
def test_a_type_names_a_state(kind: str, state: JobState) -> None:
    assert after(event(kind)).state is state


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_told_beside_job_state(state: JobState) -> None:
    assert after(event("job.state", state=state.value)).state is state


def test_a_type_that_is_no_state_may_lead_to_one() -> None:
    assert after(event("job.preempted", state="queued")).state is JobState.QUEUED
    assert after(event("job.hang", state="running")).state is JobState.HANG


def test_a_notice_outdates_no_alert() -> None:
    job = after(event("job.running"), event("job.notice", 60), event("job.hang", 30))

    assert job.state is JobState.HANG


@pytest.mark.parametrize("state", ["", "confused", "unknown"])
def test_an_unknown_state_changes_none(state: str) -> None:
    assert after(event("job.hang"), event("job.state", 1, state=state)).state is JobState.HANG


def test_facts_are_gathered_and_none_is_lost() -> None:
    named = EventJob(id="jo-1", name="llama", world_size=16)
    owned = EventJob(id="jo-1", owner="zhang")
    first = event(
        "job.running",
        job=named,
        nodes=(EventNode(node="a", endpoint="http://a"), EventNode(node="b")),
    )
    second = event("job.hang", 1, job=owned, message="no step", nodes=(EventNode(node="a"),))

    job = after(first, second)

    assert (job.name, job.owner, job.world_size) == ("llama", "zhang", 16)
    assert job.nodes == {"a": "http://a", "b": ""}
    assert job.message == "no step"


def test_a_job_has_progressed_once_an_event_tells_of_a_step() -> None:
    step = event("job.hang", labels={"step": "7"}, attempt=1)

    assert not after(event("job.hang", labels={"step": "none"})).has_progressed
    assert after(step, event("job.state", state="running", attempt=1)).has_progressed
    assert not after(step, event("job.hang", 1, attempt=2)).has_progressed


def test_an_older_time_changes_nothing() -> None:
    applied = apply_event(after(event("job.resumed", 5)), event("job.hang", 4), NOW)

    assert applied.stale
    assert applied.job == after(event("job.resumed", 5))


def test_an_older_attempt_changes_nothing_however_late_it_is() -> None:
    applied = apply_event(after(event("job.running", 5, attempt=2)), event("job.failed", 9, 1), NOW)

    assert applied.stale


def test_a_newer_attempt_counts_however_early_it_is() -> None:
    first = event("job.failed", 5, 1, nodes=(EventNode(node="old", endpoint="http://old"),))
    applied = apply_event(
        after(first), event("job.running", 4, 2, nodes=(EventNode(node="new"),)), NOW
    )

    assert applied.restarted
    assert applied.job.state is JobState.RUNNING
    assert applied.job.nodes == {"new": ""}
    assert not applied.recovered


def test_an_uncounted_attempt_is_ordered_by_time() -> None:
    assert after(event("job.running", 0, 2), event("job.hang", 1)).state is JobState.HANG


def test_the_silence_of_an_ended_job_is_no_alert() -> None:
    applied = apply_event(after(event("job.succeeded")), event("job.hang", 1), NOW)

    assert applied.alert is None
    assert applied.job.state is JobState.SUCCEEDED


def test_what_an_event_puts_an_end_to() -> None:
    hang, slow = after(event("job.hang")), after(event("job.slow"))
    both = {Trigger.HANG, Trigger.SLOW}

    assert apply_event(hang, event("job.resumed", 1), NOW).recovered == both
    assert apply_event(hang, event("job.running", 1), NOW).recovered == both
    assert apply_event(slow, event("job.slow_recovered", 1), NOW).recovered == {Trigger.SLOW}
    assert apply_event(hang, event("job.slow_recovered", 1), NOW).job.state is JobState.HANG
    assert apply_event(NEW, event("job.running", 1), NOW).recovered == frozenset()


told = st.tuples(
    st.integers(1, 4), st.integers(0, 100), st.sampled_from(STATES)
)  # attempt, minute, state


@given(st.lists(told, min_size=1, max_size=8, unique_by=lambda t: t[:2]), st.randoms())
def test_the_newest_state_wins_in_any_order_and_with_repeats(
    told_states: list[tuple[int, int, JobState]], random: Random
) -> None:
    """Alerts are left out after the end of a job, which depends on what came before."""
    calm = [one for one in told_states if one[2] not in {JobState.HANG, JobState.SLOW}]
    events = [event("job.state", minute, n, state=state.value) for n, minute, state in calm]
    shuffled = [*events, *events]
    random.shuffle(shuffled)

    job = after(*shuffled)

    if calm:
        attempt, minute, state = max(calm)
        assert (job.attempt, job.state) == (attempt, state)
        assert job.event_time == (BEGIN + timedelta(minutes=minute)).timestamp()


def test_a_time_in_the_future_counts_as_now_and_one_without_a_zone_as_utc() -> None:
    ahead = event("job.hang", time=BEGIN + timedelta(days=400))
    bare = event("job.hang", time=BEGIN.replace(tzinfo=None))

    assert apply_event(NEW, ahead, NOW).job.event_time == NOW
    assert apply_event(NEW, bare, NOW).job.event_time == BEGIN.timestamp()


@pytest.mark.parametrize("hours", [8, 24 * 365 * 100])
def test_a_clock_that_runs_ahead_does_not_outdate_what_comes_later(hours: int) -> None:
    ahead = replace(event("job.state", state="running"), time=BEGIN + timedelta(hours=hours))
    job = apply_event(NEW, ahead, BEGIN.timestamp()).job

    applied = apply_event(job, event("job.hang", 1), BEGIN.timestamp() + 60)

    assert applied.alert is Trigger.HANG


@pytest.mark.parametrize("written", ["0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00"])
def test_an_impossible_time_is_no_reason_to_fail(written: str) -> None:
    odd = replace(event("job.hang"), time=datetime.fromisoformat(written))

    assert apply_event(NEW, odd, NOW).job.state is JobState.HANG


def test_a_time_without_a_zone_is_utc() -> None:
    bare = replace(event("job.hang"), time=BEGIN.replace(tzinfo=None))

    assert apply_event(NEW, bare, NOW).job.event_time == BEGIN.timestamp()


ALERTS: dict[str, Any] = {"source": "alertmanager"}


@pytest.mark.parametrize("minutes", [0.5, 5])
def test_an_alert_of_another_source_may_lag(minutes: float) -> None:
    job = after(event("job.running", 0), event("job.running", 10))

    applied = apply_event(job, event("job.hang", 10 - minutes, **ALERTS), NOW)

    assert applied.alert is Trigger.HANG
    assert applied.job.state is JobState.HANG
    assert applied.job.event_time == job.event_time
    assert applied.job.event_source == job.event_source


@pytest.mark.parametrize(
    ("job", "late"),
    [
        (after(event("job.running", 10)), event("job.hang", 4.9, **ALERTS)),
        (after(event("job.running", 10)), event("job.hang", 9)),
        (after(event("job.failed", 10)), event("job.hang", 9, **ALERTS)),
        (after(event("job.running", 10, 2)), event("job.hang", 9, 1, **ALERTS)),
        (after(event("job.hang", 8), event("job.resumed", 10)), event("job.hang", 9, **ALERTS)),
        (after(event("job.hang", 8), event("job.running", 10)), event("job.hang", 9, **ALERTS)),
        (after(event("job.running", 10)), event("job.failed", 9, **ALERTS)),
    ],
    ids=["too late", "same source", "ended", "older attempt", "resumed", "recovered", "no alert"],
)
def test_other_late_alerts_are_outdated(job: Job, late: Event) -> None:
    assert apply_event(job, late, NOW).stale


def test_an_alert_that_lags_behind_an_old_recovery_counts() -> None:
    job = after(event("job.hang", 1), event("job.resumed", 2), event("job.running", 10))

    assert apply_event(job, event("job.hang", 8, **ALERTS), NOW).alert is Trigger.HANG


def test_runs_are_counted_also_where_attempts_are_not() -> None:
    assert after(event("job.running"), event("job.failed", 1)).run == 0
    assert after(event("job.running"), event("job.failed", 1), event("job.queued", 2)).run == 1
    assert after(event("job.running", 0, 1), event("job.running", 1, 2)).run == 1


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("job.timeout", JobState.STOPPED),
        ("job.cancelled", JobState.STOPPED),
        ("job.preempted", JobState.QUEUED),
        ("job.restarting", JobState.DEPLOYING),
    ],
)
def test_a_type_implies_a_state_when_none_is_told(kind: str, state: JobState) -> None:
    assert after(event("job.running"), event(kind, 1)).state is state
