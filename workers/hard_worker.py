"""RQ's worker, made hard against kills: its work is taken up again in seconds, and never doubled.

Three things differ from RQ's own: a job whose worker is gone is declared abandoned after 15 s
instead of 90; the process that runs the job dies with its worker, so that an abandoned job does not
go on beside its second run; and a lock that a killed worker leaves behind lapses in 30 s instead of
15 minutes. The methods are RQ's inner ones, with other signatures in 2.x and 3.x; a test that kills
workers guards them (tests/integration/test_worker_death.py).
"""

import os

from redis import Redis
from rq import Queue as RqQueue
from rq import Worker
from rq.job import Job

from rankscope.lifeline import die_with
from rankscope.queueing import JSON_SERIALIZER, Queue

WORKER_TTL_S = 20
MAINTENANCE_S = 5
MONITORING_S = 3
ABANDONED_S = 15
MAINTENANCE_LOCK_S = 30


class HardQueue(RqQueue):
    """A queue whose maintenance lock lapses soon when its holder is killed."""

    def acquire_maintenance_lock(self) -> bool:
        """Take the lock that lets one worker at a time clean up."""
        key = self.registry_cleaning_key
        return bool(self.connection.set(key, 1, nx=True, ex=MAINTENANCE_LOCK_S))

    def release_maintenance_lock(self) -> None:
        """Let others clean up."""
        self.connection.delete(self.registry_cleaning_key)


class HardWorker(Worker):
    """A worker of one queue; see the module for what is hard about it."""

    queue_class = HardQueue
    _boss_pid = 0

    def get_heartbeat_ttl(self, job: Job, working_time: float = 0.0) -> int:
        """Return after how many seconds without a heartbeat a job counts as abandoned."""
        del job, working_time
        return ABANDONED_S

    def fork_work_horse(self, job: Job, queue: RqQueue) -> None:
        """Fork the process that runs a job, and let it know whose child it is."""
        self._boss_pid = os.getpid()
        super().fork_work_horse(job, queue)

    def setup_work_horse_signals(self) -> None:
        """Prepare the forked process: it dies with its worker."""
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        die_with(self._boss_pid)


def make_worker(redis: Redis, queue: Queue) -> HardWorker:
    """Return a worker for one queue: serving two loses a job when it dies between them."""
    return HardWorker(
        [HardQueue(queue.value, connection=redis, serializer=JSON_SERIALIZER)],
        connection=redis,
        serializer=JSON_SERIALIZER,
        worker_ttl=WORKER_TTL_S,
        maintenance_interval=MAINTENANCE_S,
        job_monitoring_interval=MONITORING_S,
        log_job_description=False,
    )
