"""Takes up what crashes have left lying, every minute, and drops what is too old, every day."""

import shutil
import time
from datetime import UTC, datetime, timedelta

import structlog
from redis import Redis
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job as RqJob
from rq.job import JobStatus
from rq.registry import FailedJobRegistry

from rankscope.errors import StoreError
from rankscope.incidents import end_silences, fail_capture
from rankscope.incidents.outbox import submit_delivery
from rankscope.incidents.records import FINISHED
from rankscope.model.state import CaptureRecord, CaptureState, Outgoing
from rankscope.queueing import JSON_SERIALIZER, Queue, Task, rq_queue, submit
from rankscope.store.state import PREFIX
from rankscope.text import say
from workers.context import Context
from workers.escalating import submit_due
from workers.stages import SPOOL

SETTLED_S = 30.0
"""Younger work is left alone: its own RQ job is about to run or to be tried again."""
RESUBMISSIONS = 4
OUTBOX_S = 86_400.0
"""For a day a refused message is offered again: somebody may add the bot to the chat meanwhile."""
REQUEUES = 3
LEFTOVER_S = 86_400.0

ALIVE = frozenset({JobStatus.QUEUED, JobStatus.STARTED, JobStatus.SCHEDULED, JobStatus.DEFERRED})
REPEATABLE = frozenset(
    {
        Task.HANDLE_EVENT,
        Task.HANDLE_MESSAGE,
        Task.HANDLE_CLICK,
        Task.COMPARE,
        Task.BUNDLE,
        Task.SECOND_CAPTURE,
        Task.RETENTION,
    }
)
"""Captures and deliveries have records of their own to be taken up from."""
INFRASTRUCTURE = (
    "AbandonedJobError",
    "Work-horse terminated unexpectedly",
    "stuck in intermediate queue",
    "redis.exceptions.",
    "StoreError",
)

_log = structlog.get_logger()


def reconcile(context: Context) -> None:
    """Resubmit captures, unsent messages and broken-off handlers; end silences; escalate."""
    end_silences(context.state, context.settings)
    submit_due(context)
    for record in context.state.all(CaptureRecord):
        if record.state not in FINISHED and time.time() - record.requested_at > SETTLED_S:
            _take_up(context, record)
    for entry in context.state.all(Outgoing):
        if entry.sent < entry.wanted and _is_offered(entry):
            submit_delivery(context.state, entry, f"-m{int(time.time() // 60)}")
    for queue in Queue:
        _requeue_failed(context.redis, queue)


def _is_offered(entry: Outgoing) -> bool:
    """Whether an unsent message is worth another try; its time counts from when trouble began."""
    if not entry.first_attempt_at:
        return True
    age_s = time.time() - (entry.troubled_at if entry.error else entry.first_attempt_at)
    return age_s > SETTLED_S and (not entry.error or age_s < OUTBOX_S)


# Captures.


def _take_up(context: Context, record: CaptureRecord) -> None:
    """Submit a capture's stage again unless a job of it lives; give up after a few times."""
    task = Task.ANALYSE if record.state is CaptureState.CAPTURED else Task.CAPTURE
    name = task.value.rpartition(".")[2]
    ids = [f"{name}-{record.id}", *(f"{name}-{record.id}-{n}" for n in range(RESUBMISSIONS))]
    statuses = {unique_id: _status(context.redis, unique_id) for unique_id in ids}
    if any(status in ALIVE for status in statuses.values()):
        return
    unused = next((unique_id for unique_id, status in statuses.items() if status is None), None)
    if unused is None:
        language = context.settings.language
        fail_capture(context.state, record.id, say("incident-gave-up").of(language), language)
        return
    submit(context.redis, task, record.id, unique_id=unused)
    _log.warning("capture taken up", print_id=record.id, stage=name)


def _status(redis: Redis, unique_id: str) -> JobStatus | None:
    """Return the status of an RQ job, or None when there is no such job."""
    try:
        return RqJob.fetch(unique_id, redis, serializer=JSON_SERIALIZER).get_status(refresh=False)
    except (NoSuchJobError, InvalidJobOperation):
        return None


# Handlers.


def _requeue_failed(redis: Redis, queue: Queue) -> None:
    registry = FailedJobRegistry(queue=rq_queue(redis, queue))
    for job_id in registry.get_job_ids(cleanup=False):
        if _is_worth_requeuing(redis, job_id):
            try:
                registry.requeue(job_id)
            except (InvalidJobOperation, NoSuchJobError):
                continue  # Somebody else has just taken it up, or it has expired.
            _log.warning("job requeued", rq_job=job_id)


def _is_worth_requeuing(redis: Redis, job_id: str) -> bool:
    try:
        job = RqJob.fetch(job_id, redis, serializer=JSON_SERIALIZER)
    except NoSuchJobError:
        return False
    result = job.latest_result()
    why = (result.exc_string or "") if result else ""
    if job.func_name not in REPEATABLE or not any(sign in why for sign in INFRASTRUCTURE):
        return False
    counter = f"{PREFIX}:requeued:{job_id}"
    times = int(str(redis.incr(counter)))
    redis.expire(counter, timedelta(days=1))
    return times <= REQUEUES


# Retention.


def retention(context: Context) -> None:
    """Delete the captures whose time is over, and spools that killed workers left behind."""
    first_kept = datetime.now(UTC).date() - timedelta(days=context.settings.retention_days)
    deleted = context.captures.delete_before(first_kept)
    _log.info("captures deleted", objects=deleted, before=str(first_kept))
    for folder in (context.settings.data_dir / SPOOL).glob("*"):
        if time.time() - folder.stat().st_mtime > LEFTOVER_S:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise StoreError(f"{folder} cannot be deleted: {error}.") from error
