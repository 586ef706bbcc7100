"""What crashes have left is taken up; what is too old goes."""

import os
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from rq.job import Job as RqJob
from rq.job import JobStatus
from rq.registry import FailedJobRegistry

from rankscope.incidents.outbox import show_card
from rankscope.model.capture import Trigger
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState, Outgoing
from rankscope.queueing import JSON_SERIALIZER, Queue, Task, rq_queue, submit
from tests.incidents.conftest import queued
from tests.workers.conftest import PRINT_ID, an_incident
from workers.context import Context
from workers.housekeeping import RESUBMISSIONS, reconcile, retention
from workers.stages import SPOOL

OLD = time.time() - 120


@pytest.fixture
def record(context: Context) -> CaptureRecord:
    """A capture that was requested long ago, in an incident that waits for it."""
    context.state.save(an_incident(captures=(PRINT_ID,)))
    record = CaptureRecord(
        id=PRINT_ID,
        job_id="jo-1",
        incident_id="in-1",
        trigger=Trigger.HANG,
        requested_at=OLD,
        state=CaptureState.RUNNING,
    )
    context.state.save(record)
    return record


def rq_job(context: Context, unique_id: str) -> RqJob:
    return RqJob.fetch(unique_id, context.redis, serializer=JSON_SERIALIZER)


def captures_queued(context: Context) -> list[str]:
    return [job_id for job_id in queued(context.redis) if not job_id.startswith("deliver")]


def end(context: Context, unique_id: str) -> None:
    """Let an RQ job end as if it had failed for good."""
    rq_queue(context.redis, Queue.WORK).remove(unique_id)
    rq_job(context, unique_id).set_status(JobStatus.FAILED)


@pytest.mark.parametrize(
    ("state", "stage"),
    [
        (CaptureState.REQUESTED, "capture"),
        (CaptureState.RUNNING, "capture"),
        (CaptureState.CAPTURED, "analyse"),
    ],
)
def test_a_capture_without_a_job_is_taken_up_at_its_stage(
    context: Context, record: CaptureRecord, state: CaptureState, stage: str
) -> None:
    context.state.save(replace(record, state=state))

    for _ in range(2):
        reconcile(context)

    assert captures_queued(context) == [f"{stage}-{PRINT_ID}"]


def test_a_capture_whose_job_lives_is_left_alone(context: Context, record: CaptureRecord) -> None:
    submit(context.redis, Task.CAPTURE, PRINT_ID, unique_id=f"capture-{PRINT_ID}")
    rq_queue(context.redis, Queue.WORK).remove(f"capture-{PRINT_ID}")
    rq_job(context, f"capture-{PRINT_ID}").set_status(JobStatus.STARTED)

    reconcile(context)

    assert captures_queued(context) == []


def test_a_capture_that_dies_again_and_again_is_given_up(
    context: Context, record: CaptureRecord
) -> None:
    for number in range(-1, RESUBMISSIONS):
        reconcile(context)
        end(context, f"capture-{PRINT_ID}" + (f"-{number}" if number >= 0 else ""))
    reconcile(context)

    failed = context.state.load(CaptureRecord, PRINT_ID)
    assert failed.state is CaptureState.FAILED
    assert "RQ workers" in failed.error
    assert context.state.load(Incident, "in-1").state is IncidentState.FAILED


@pytest.mark.parametrize("state", [CaptureState.REPORTED, CaptureState.FAILED])
def test_finished_captures_are_left_alone(
    context: Context, record: CaptureRecord, state: CaptureState
) -> None:
    context.state.save(replace(record, state=state))
    reconcile(context)

    assert captures_queued(context) == []


def test_a_young_capture_is_left_alone(context: Context, record: CaptureRecord) -> None:
    context.state.save(replace(record, requested_at=time.time()))
    reconcile(context)

    assert captures_queued(context) == []


@pytest.mark.parametrize(
    ("sent", "first_attempt_s_ago", "offered"),
    [(0, None, True), (0, 100, True), (0, 5, False), (0, 90_000, False), (1, 100, False)],
)
def test_what_was_not_sent_is_offered_again(
    context: Context, sent: int, first_attempt_s_ago: float | None, offered: bool
) -> None:
    show_card(context.state, an_incident())
    rq_queue(context.redis, Queue.CHAT).empty()  # type: ignore[no-untyped-call]
    first = 0.0 if first_attempt_s_ago is None else time.time() - first_attempt_s_ago
    entry = context.state.load(Outgoing, "in-1")
    error = "refused" if first else ""
    context.state.save(
        replace(entry, sent=sent, first_attempt_at=first, troubled_at=first, error=error)
    )

    reconcile(context)

    assert bool(queued(context.redis)) is offered


def test_an_update_of_an_old_card_is_offered_for_a_day_from_when_trouble_began(
    context: Context,
) -> None:
    show_card(context.state, an_incident())
    rq_queue(context.redis, Queue.CHAT).empty()  # type: ignore[no-untyped-call]
    entry = context.state.load(Outgoing, "in-1")
    now = time.time()
    context.state.save(
        replace(entry, first_attempt_at=now - 200_000, troubled_at=now - 100, error="busy")
    )

    reconcile(context)

    assert queued(context.redis)


def fail(context: Context, task: Task, unique_id: str, reason: str) -> None:
    submit(context.redis, task, {}, unique_id=unique_id)
    rq_queue(context.redis, Queue.CHAT).remove(unique_id)
    job = rq_job(context, unique_id)
    job.set_status(JobStatus.FAILED)
    with context.redis.pipeline() as pipe:
        job._handle_failure(reason, pipe)
        pipe.execute()


def test_handlers_that_were_killed_are_requeued_a_few_times(context: Context) -> None:
    for _ in range(5):
        queue = rq_queue(context.redis, Queue.CHAT)
        queue.empty()  # type: ignore[no-untyped-call]
        fail(context, Task.HANDLE_EVENT, "event-1", "… due to AbandonedJobError, at …")
        reconcile(context)

    assert "event-1" in FailedJobRegistry(queue=queue).get_job_ids(cleanup=False)


@pytest.mark.parametrize(
    ("task", "reason", "requeued"),
    [
        (Task.HANDLE_EVENT, "Work-horse terminated unexpectedly; signal 9", True),
        (Task.HANDLE_CLICK, "redis.exceptions.ConnectionError: gone", True),
        (Task.HANDLE_EVENT, "ValueError: a bug", False),
        (Task.DELIVER, "AbandonedJobError", False),
    ],
)
def test_only_what_the_infrastructure_broke_is_requeued(
    context: Context, task: Task, reason: str, requeued: bool
) -> None:
    fail(context, task, "some-job", reason)

    reconcile(context)

    assert ("some-job" in queued(context.redis)) is requeued


def test_old_captures_and_leftovers_go(context: Context) -> None:
    new = str(time.time_ns())
    for print_id in (PRINT_ID, new):
        context.captures.write_capture(print_id, [b"{}"])
    spool = context.settings.data_dir / SPOOL
    for name, age in (("old", timedelta(days=2)), ("new", timedelta())):
        (spool / name).mkdir(parents=True)
        (spool / name / "0.lines").touch()
        then = time.time() - age.total_seconds()
        os.utime(spool / name, (then, then))

    retention(context)

    assert not context.captures.has_capture(PRINT_ID)
    assert context.captures.has_capture(new)
    assert [folder.name for folder in spool.iterdir()] == ["new"]
