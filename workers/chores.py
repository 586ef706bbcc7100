"""What the supervisor does beside keeping its processes: due retries, abandoned jobs, daily work.

RQ would need a scheduler process per queue for this, whose lock outlives a kill by a minute. Here
any supervisor may do it; short claims in Redis keep two of them apart.
"""

import os
import socket
import time
from datetime import UTC, datetime, timedelta

import structlog
from redis import Redis
from redis.exceptions import RedisError
from rq.registry import StartedJobRegistry
from rq.scheduler import RQScheduler

from rankscope.queueing import JSON_SERIALIZER, Queue, Task, submit
from rankscope.store.state import State
from workers.hard_worker import HardQueue

SCHEDULE_S = 1.0
CLEAN_S = 5.0
MINUTE_S = 60.0
CLAIM_S = 10.0

_log = structlog.get_logger()


class Chores:
    """Runs each chore when it is due; while Redis is away they wait."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._state = State(redis)
        self._name = f"{socket.gethostname()}-{os.getpid()}"
        self._schedulers = {name: _scheduler(redis, name) for name in Queue}
        self._due_at = [0.0, 0.0, 0.0]

    def run_due(self) -> None:
        """Do what is due now; trouble with Redis is logged, and the chore is done later."""
        chores = (
            (SCHEDULE_S, self._enqueue_due),
            (CLEAN_S, self._take_up_abandoned),
            (MINUTE_S, self._submit_regular),
        )
        for number, (interval_s, chore) in enumerate(chores):
            if time.monotonic() < self._due_at[number]:
                continue
            self._due_at[number] = time.monotonic() + interval_s
            try:
                chore()
            except RedisError as error:
                _log.warning("chore put off", chore=chore.__name__, error=str(error))

    def _enqueue_due(self) -> None:
        """Move jobs whose retry time has come into their queues."""
        for name, scheduler in self._schedulers.items():
            if self._claims(f"schedule:{name.value}"):
                scheduler.enqueue_scheduled_jobs()  # type: ignore[no-untyped-call]

    def _claims(self, name: str) -> bool:
        """Whether the claim is ours; it is renewed, so that one supervisor keeps it."""
        if self._state.claim(name, self._name, CLAIM_S) != self._name:
            return False
        self._state.renew(name, self._name, CLAIM_S)
        return True

    def _take_up_abandoned(self) -> None:
        """Queue the jobs of killed workers again, even while all our workers are busy."""
        for name in Queue:
            queue = HardQueue(name.value, connection=self._redis, serializer=JSON_SERIALIZER)
            if queue.acquire_maintenance_lock():
                try:
                    StartedJobRegistry(queue=queue).cleanup()
                finally:
                    queue.release_maintenance_lock()

    def _submit_regular(self) -> None:
        minute, day = int(time.time() // MINUTE_S), datetime.now(UTC).date()
        remember = timedelta(minutes=10)
        submit(self._redis, Task.RECONCILE, unique_id=f"reconcile-{minute}", remember=remember)
        submit(
            self._redis, Task.RETENTION, unique_id=f"retention-{day}", remember=timedelta(days=2)
        )


def _scheduler(redis: Redis, queue: Queue) -> RQScheduler:
    """Return RQ's scheduler, used without its process and its lock."""
    scheduler = RQScheduler([queue.value], connection=redis, serializer=JSON_SERIALIZER)
    scheduler.prepare_registries([queue.value])
    return scheduler
