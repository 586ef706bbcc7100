"""Enqueue by name: the bot and the stages know RQ functions only by these names.

A submission is one atomic step (RQ's unique enqueue runs as one Lua script): it records the
arguments, refuses a repeated id and queues the work, so that nothing can be lost in between.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum

from redis import Redis
from rq import Queue as RqQueue
from rq import Retry
from rq.exceptions import DuplicateJobError, NoSuchJobError
from rq.job import Job as RqJob
from rq.job import JobStatus

JSON_SERIALIZER = "rq.serializers.JSONSerializer"
DEDUPLICATION = timedelta(days=1)  # Feishu repeats an event up to 6 h later, others minutes later.


class Queue(StrEnum):
    """Queues; every RQ worker process serves exactly one, since serving two can lose jobs."""

    CHAT = "rankscope-chat"  # short: events, clicks, commands, delivery
    WORK = "rankscope-work"  # long: captures, analyses, comparisons, retention


class Task(StrEnum):
    """Functions the RQ workers run, with the arguments they take."""

    HANDLE_EVENT = "workers.jobs.handle_event"  # event: dict (rankscope.model.event.Event)
    HANDLE_MESSAGE = "workers.jobs.handle_message"  # message: dict (model.chat.ChatMessage)
    HANDLE_MENU = "workers.jobs.handle_menu"  # choice: dict (model.chat.MenuChoice)
    HANDLE_CLICK = "workers.jobs.handle_click"  # click: dict (model.chat.Click)
    CAPTURE = "workers.jobs.capture"  # print_id: str
    ANALYSE = "workers.jobs.analyse"  # print_id: str
    COMPARE = "workers.jobs.compare"  # incident_id, before, after, answer_to="": str
    DELIVER = "workers.jobs.deliver"  # outgoing_id: str
    SECOND_CAPTURE = "workers.jobs.second_capture"  # print_id of the first: str
    BUNDLE = "workers.jobs.bundle"  # incident_id, print_id, request: str
    ESCALATE = "workers.jobs.escalate"  # incident_id: str
    RECONCILE = "workers.jobs.reconcile"
    RETENTION = "workers.jobs.retention"


QUEUE_OF = {
    Task.HANDLE_EVENT: Queue.CHAT,
    Task.HANDLE_MESSAGE: Queue.CHAT,
    Task.HANDLE_MENU: Queue.CHAT,
    Task.HANDLE_CLICK: Queue.CHAT,
    Task.CAPTURE: Queue.WORK,
    Task.ANALYSE: Queue.WORK,
    Task.COMPARE: Queue.WORK,
    Task.DELIVER: Queue.CHAT,
    Task.SECOND_CAPTURE: Queue.CHAT,
    Task.BUNDLE: Queue.WORK,
    Task.ESCALATE: Queue.CHAT,
    Task.RECONCILE: Queue.CHAT,
    Task.RETENTION: Queue.WORK,
}
TIMEOUT_S = {Queue.CHAT: 60, Queue.WORK: 300}
RETRIES = 5


def rq_queue(redis: Redis, queue: Queue) -> RqQueue:
    """Return the RQ queue; JSON only, since whoever can write pickles to Redis runs code."""
    return RqQueue(queue.value, connection=redis, serializer=JSON_SERIALIZER)


def submit(
    redis: Redis,
    task: Task,
    *arguments: object,
    unique_id: str,
    remember: timedelta = DEDUPLICATION,
) -> bool:
    """Record and enqueue a task once; False when `unique_id` was submitted within `remember`.

    Raises redis.exceptions.RedisError when Redis did not take it: then nothing was recorded.
    """
    seconds = int(remember.total_seconds())
    queue = QUEUE_OF[task]
    try:
        rq_queue(redis, queue).enqueue(
            task.value,
            *arguments,
            job_id=unique_id,
            unique=True,
            retry=_retry(),
            job_timeout=TIMEOUT_S[queue],
            result_ttl=seconds,
            failure_ttl=seconds,
        )
    except DuplicateJobError:
        return False
    return True


def submit_later(
    redis: Redis, task: Task, *arguments: object, unique_id: str, delay: timedelta
) -> bool:
    """Record a task that is enqueued after a while, once; see `submit`.

    A supervisor moves it into its queue when its time has come, also after a restart.
    """
    queue = rq_queue(redis, QUEUE_OF[task])
    remembered = int((DEDUPLICATION + delay).total_seconds())
    # RQ's own enqueue_in forgets in 2.x that the id is to be unique.
    job = queue.create_job(
        task.value,
        args=arguments,
        job_id=unique_id,
        status=JobStatus.SCHEDULED,
        retry=_retry(),
        timeout=TIMEOUT_S[QUEUE_OF[task]],
        result_ttl=remembered,
        failure_ttl=remembered,
    )
    try:
        queue.schedule_job(job, datetime.now(UTC) + delay, unique=True)
    except DuplicateJobError:
        return False
    return True


def _retry() -> Retry:
    return Retry(max=RETRIES, interval=[0, 1, 5, 15, 60])


def submitted(redis: Redis, unique_id: str) -> tuple[object, ...] | None:
    """Return the arguments with which a task was submitted, or None when it is not known."""
    try:
        job = RqJob.fetch(unique_id, redis, serializer=JSON_SERIALIZER)
    except NoSuchJobError:
        return None
    return tuple(job.args)
