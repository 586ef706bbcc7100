"""What tells our RQ worker from RQ's own; tests/integration/test_worker_death.py kills it."""

from redis import Redis

from rankscope.queueing import Queue, Task, rq_queue, submit
from workers.hard_worker import ABANDONED_S, HardQueue, make_worker


def test_it_serves_one_queue_with_short_heartbeats(redis: Redis) -> None:
    worker = make_worker(redis, Queue.WORK)
    submit(redis, Task.CAPTURE, "1", unique_id="capture-1")
    job = rq_queue(redis, Queue.WORK).fetch_job("capture-1")

    assert worker.queue_names() == [Queue.WORK.value]
    assert isinstance(worker.queues[0], HardQueue)
    assert job is not None
    assert worker.get_heartbeat_ttl(job) == ABANDONED_S
    assert worker.get_heartbeat_ttl(job, working_time=200.0) == ABANDONED_S


def test_a_maintenance_lock_lapses_soon(redis: Redis) -> None:
    queue = HardQueue("rankscope-work", connection=redis)

    assert queue.acquire_maintenance_lock()
    assert not queue.acquire_maintenance_lock()
    assert 0 < redis.ttl(queue.registry_cleaning_key) <= 30
    queue.release_maintenance_lock()
    assert queue.acquire_maintenance_lock()
