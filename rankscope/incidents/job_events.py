"""What an event changes about a job; pure.

Events may come late, twice and out of order. An event of an older attempt, or of an older time
within the attempt, changes nothing. Attempt 0 means that the sender does not count attempts.

One source tells its own events in their order; two sources need not: an alert manager's hang has
the time at which the silence began, and a platform may say `running` meanwhile. So an alert of
another source counts up to five minutes late, while the job runs and has not recovered since.
"""

from dataclasses import dataclass, replace
from datetime import UTC

from rankscope.incidents.labels import merged_labels
from rankscope.model.capture import Trigger
from rankscope.model.event import Event
from rankscope.model.state import Job, JobState

ENDED = frozenset({JobState.FAILED, JobState.SUCCEEDED, JobState.STOPPED})
TROUBLED = frozenset({JobState.HANG, JobState.SLOW})
ALERTS = {JobState.HANG: Trigger.HANG, JobState.SLOW: Trigger.SLOW}
IMPLIED = {
    "job.cancelled": JobState.STOPPED,
    "job.timeout": JobState.STOPPED,
    "job.preempted": JobState.QUEUED,
    "job.restarting": JobState.DEPLOYING,
    "job.env_check": JobState.DEPLOYING,
}
"""What a type says of the job when the event names no state."""
SLOW_RECOVERED = "job.slow_recovered"
RESUMED = "job.resumed"
LAG_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The job after an event, and what follows from it.

    recovered are the kinds of incident that the event puts an end to. runs_again says that the job
    runs and did not before, as after a pre-emption.
    """

    job: Job
    stale: bool = False
    restarted: bool = False
    alert: Trigger | None = None
    recovered: frozenset[Trigger] = frozenset()
    ended: bool = False
    runs_again: bool = False


def apply_event(job: Job, event: Event, now: float) -> Applied:
    """Return what an event makes of a job; an event without a time happens now."""
    at = _moment(event, now)
    restarted = bool(job.attempt) and event.attempt > job.attempt
    if not restarted and _is_stale(job, event, at):
        return Applied(job=job, stale=True)
    before = JobState.UNKNOWN if restarted else job.state
    state = _next_state(before, event)
    recovered = _recovered(before, state, event)
    facts = _with_facts(job, event, restarted=restarted)
    return Applied(
        job=replace(
            _with_times(replace(facts, event_time=0.0) if restarted else facts, event, at),
            state=state,
            recovered_at=at if recovered else facts.recovered_at,
            run=job.run + (restarted or (before in ENDED and state not in ENDED)),
        ),
        restarted=restarted,
        alert=ALERTS.get(state) if _told_state(event) in ALERTS else None,
        recovered=recovered,
        ended=state in ENDED,
        runs_again=state is JobState.RUNNING and before in {JobState.QUEUED, JobState.DEPLOYING},
    )


def _with_times(job: Job, event: Event, at: float) -> Job:
    """Note the newest event that told a state; a late one does not turn back the clock."""
    if not _tells_state(event) or at < job.event_time:
        return job
    return replace(job, event_time=at, event_source=event.source)


def _moment(event: Event, now: float) -> float:
    """Return when an event happened; a time without a zone is UTC, an impossible one is now.

    Otherwise one sender's wrong clock would make all later events of the job look outdated.
    """
    if event.time is None:
        return now
    aware = event.time if event.time.tzinfo else event.time.replace(tzinfo=UTC)
    try:
        at = aware.timestamp()
    except (OverflowError, ValueError):
        return now
    return at if 0 < at < now else now


def _is_stale(job: Job, event: Event, at: float) -> bool:
    if is_of_older_attempt(job, event):
        return True
    return at < job.event_time and not _only_lags(job, event, at)


def _only_lags(job: Job, event: Event, at: float) -> bool:
    """Whether an alert is late because its source tells of it later than others tell of theirs."""
    return (
        _told_state(event) in ALERTS
        and job.state is JobState.RUNNING
        and event.source != job.event_source
        and max(job.event_time - LAG_S, job.recovered_at) <= at
    )


def is_of_older_attempt(job: Job, event: Event) -> bool:
    """Whether an event is of an attempt before the job's current one."""
    return 0 < event.attempt < job.attempt


def _told_state(event: Event) -> JobState | None:
    """Return the state an event names: in its type, as `job.hang`, or beside another type."""
    kind, _, word = event.type.partition(".")
    name = word if word in set(JobState) else event.state or IMPLIED.get(event.type, "")
    known = kind == "job" and name in set(JobState) and name != JobState.UNKNOWN
    return JobState(name) if known else None


def _tells_state(event: Event) -> bool:
    """Whether an event says where the job is; one that only notes something outdates none."""
    return event.type in {RESUMED, SLOW_RECOVERED} or _told_state(event) is not None


def _next_state(before: JobState, event: Event) -> JobState:
    if event.type == RESUMED and before not in ENDED:
        return JobState.RUNNING
    if event.type == SLOW_RECOVERED and before is JobState.SLOW:
        return JobState.RUNNING
    told = _told_state(event)
    if told is None or (told in TROUBLED and before in ENDED):
        return before  # A watcher may notice the silence of a job that has ended.
    return told


def _recovered(before: JobState, state: JobState, event: Event) -> frozenset[Trigger]:
    if event.type == SLOW_RECOVERED:
        return frozenset({Trigger.SLOW})
    if event.type == RESUMED or (state is JobState.RUNNING and before in TROUBLED):
        return frozenset({Trigger.HANG, Trigger.SLOW})
    return frozenset()


def _has_step(event: Event) -> bool:
    """Whether an event tells of a training step, as `rankscope watch` does in a label."""
    return event.labels.get("step", "").isdecimal()


def _is_spot(event: Event) -> bool:
    return event.labels.get("spot", "").lower() in {"true", "1", "yes"}


def _with_facts(job: Job, event: Event, *, restarted: bool) -> Job:
    """Take over what the event says of the job; what it leaves out stays as it was."""
    told = event.job
    nodes = {node.node: node.endpoint for node in event.nodes}
    kept = {} if restarted else job.nodes
    return replace(
        job,
        name=told.name or job.name,
        owner=told.owner or job.owner,
        url=told.url or job.url,
        framework=told.framework or job.framework,
        world_size=told.world_size if told.world_size is not None else job.world_size,
        output_path=told.output_path or job.output_path,
        image=told.image or job.image,
        command=told.command or job.command,
        attempt=max(job.attempt, event.attempt),
        message=event.message or job.message,
        spot=_is_spot(event) or (job.spot and not restarted),
        severity=event.severity,
        labels=merged_labels({} if restarted else job.labels, event.labels),
        has_progressed=_has_step(event) or (job.has_progressed and not restarted),
        nodes={**kept, **{name: url or kept.get(name, "") for name, url in nodes.items()}},
    )
