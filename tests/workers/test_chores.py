"""The supervisor's chores, over a real Redis."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from redis import Redis
from rq.executions import Execution
from rq.job import JobStatus

from rankscope.queueing import Queue, Task, rq_queue, submit
from rankscope.store.connection import connect
from tests.incidents.conftest import queued
from workers.chores import Chores


@pytest.fixture
def chores(redis: Redis) -> Chores:
    return Chores(redis)


def test_jobs_whose_time_has_come_are_queued(redis: Redis, chores: Chores) -> None:
    queue = rq_queue(redis, Queue.WORK)
    for name, seconds in (("due", -1), ("later", 60)):
        submit(redis, Task.CAPTURE, "1", unique_id=name)
        queue.remove(name)
        job = queue.fetch_job(name)
        assert job is not None
        queue.schedule_job(job, datetime.now(UTC) + timedelta(seconds=seconds))

    chores.run_due()

    assert "due" in queued(redis)
    assert "later" not in queued(redis)


def test_two_supervisors_do_not_queue_a_job_twice(redis: Redis, chores: Chores) -> None:
    redis.set("rankscope:claim:schedule:rankscope-work", "another", ex=10)
    queue = rq_queue(redis, Queue.WORK)
    submit(redis, Task.CAPTURE, "1", unique_id="due")
    queue.remove("due")
    job = queue.fetch_job("due")
    assert job is not None
    queue.schedule_job(job, datetime.now(UTC))

    chores.run_due()

    assert "due" not in queued(redis)


def test_the_job_of_a_dead_worker_is_queued_again(redis: Redis, chores: Chores) -> None:
    queue = rq_queue(redis, Queue.WORK)
    submit(redis, Task.CAPTURE, "1", unique_id="capture-1")
    queue.remove("capture-1")
    job = queue.fetch_job("capture-1")
    assert job is not None
    job.set_status(JobStatus.STARTED)
    with redis.pipeline() as pipe:
        execution = Execution("e", job.id, redis)
        queue.started_job_registry.add_execution(execution, pipe, ttl=0)
        pipe.execute()
    redis.zadd(queue.started_job_registry.key, {execution.composite_key: time.time() - 5})

    chores.run_due()

    assert "capture-1" in queued(redis)


def test_the_regular_tasks_are_submitted_once_a_minute(redis: Redis, chores: Chores) -> None:
    chores.run_due()
    chores.run_due()
    Chores(redis).run_due()

    names = sorted(job_id.rpartition("-")[0].split("-")[0] for job_id in queued(redis))
    assert names == ["reconcile", "retention"]


def test_while_redis_is_away_the_chores_wait(tmp_path: Path) -> None:
    with connect(f"unix://{tmp_path}/none.sock", patience_tries=1) as redis:
        Chores(redis).run_due()
