"""The second capture of a hang, and what makes it unnecessary."""

from dataclasses import replace
from datetime import timedelta

import pytest
from rq.job import JobStatus

from rankscope.incidents import silence_job
from rankscope.incidents.captures import remember_capture
from rankscope.model.capture import Trigger
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState
from rankscope.queueing import Queue, Task, rq_queue, submit_later
from tests.incidents.conftest import queued
from tests.workers.conftest import LATER_ID, PRINT_ID, an_incident, seen_by
from workers.context import Context
from workers.second import follow_up, second_capture

RECORD = CaptureRecord(
    id=PRINT_ID,
    job_id="jo-1",
    incident_id="in-1",
    trigger=Trigger.HANG,
    requested_at=1780890545.0,
    state=CaptureState.REPORTED,
)


class Agent:
    node, url = "gpu07", "http://10.0.0.1"


@pytest.fixture
def hung(context: Context) -> Context:
    context.settings = context.settings.model_copy(update={"second_capture_s": 300.0})
    seen_by(context.state, Agent())  # type: ignore[arg-type]
    remember_capture(context.state, RECORD)
    context.state.save(an_incident(state=IncidentState.REPORTED, captures=(PRINT_ID,)))
    context.state.set_open_incident("jo-1", "in-1")
    return context


def planned(context: Context) -> list[str]:
    queue = rq_queue(context.redis, Queue.CHAT)
    return list(queue.scheduled_job_registry.get_job_ids())


def test_a_hang_gets_a_second_capture_once(hung: Context) -> None:
    for _ in range(2):
        follow_up(hung, RECORD)

    assert planned(hung) == [f"second-{PRINT_ID}"]


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, requested_by="ou_li"),
        replace(RECORD, trigger=Trigger.SLOW),
        replace(RECORD, trigger=Trigger.RECAPTURE),
    ],
)
def test_other_captures_get_none(hung: Context, record: CaptureRecord) -> None:
    follow_up(hung, record)

    assert planned(hung) == []


def test_nothing_is_planned_by_default(context: Context) -> None:
    follow_up(context, RECORD)

    assert planned(context) == []


def test_the_second_is_compared_with_the_first(hung: Context) -> None:
    for _ in range(2):
        second_capture(hung, PRINT_ID)

    incident = hung.state.load(Incident, "in-1")
    assert len(incident.captures) == 2
    again = hung.state.load(CaptureRecord, incident.captures[-1])
    assert (again.compare_with, again.requested_by) == (PRINT_ID, "")

    follow_up(hung, again)
    assert f"compare-second-{again.id}" in queued(hung.redis)


def test_a_hang_that_is_over_is_not_captured_again(hung: Context) -> None:
    hung.state.save(replace(hung.state.load(Incident, "in-1"), state=IncidentState.RESUMED))
    second_capture(hung, PRINT_ID)

    assert len(list(hung.state.all(CaptureRecord))) == 1


def test_who_has_captured_meanwhile_makes_it_unnecessary(hung: Context) -> None:
    known = hung.state.load(Incident, "in-1")
    hung.state.save(replace(known, captures=(PRINT_ID, LATER_ID)))
    second_capture(hung, PRINT_ID)

    assert len(list(hung.state.all(CaptureRecord))) == 1


def test_a_silenced_job_is_left_alone(hung: Context) -> None:
    silence_job(hung.state, "jo-1", "ou_li", 0)
    second_capture(hung, PRINT_ID)

    assert len(list(hung.state.all(CaptureRecord))) == 1


def test_a_planned_task_is_recorded_once_and_scheduled(context: Context) -> None:
    outcomes = [
        submit_later(
            context.redis,
            Task.SECOND_CAPTURE,
            PRINT_ID,
            unique_id="second-1",
            delay=timedelta(minutes=5),
        )
        for _ in range(2)
    ]

    job = rq_queue(context.redis, Queue.CHAT).fetch_job("second-1")
    assert outcomes == [True, False]
    assert job is not None
    assert job.get_status() is JobStatus.SCHEDULED
