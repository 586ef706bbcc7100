"""What the bot has enqueued, as an RQ worker would see it."""

from typing import Any

from redis import Redis

from rankscope.queueing import Queue, Task, rq_queue


def queued(redis: Redis) -> list[tuple[str, str, Any]]:
    """Return id, function name and first argument of every job that waits."""
    return [
        (job.id, str(job.func_name), job.args[0])
        for queue in Queue
        for job in rq_queue(redis, queue).get_jobs()
    ]


def tasks(redis: Redis) -> list[Task]:
    """Return the functions of the jobs that wait."""
    return [Task(name) for _, name, _ in queued(redis)]
