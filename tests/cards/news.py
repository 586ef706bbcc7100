"""Incidents of state events and slow-downs, as their events and logs lead to them."""

from dataclasses import replace

from rankscope.cards.view import IncidentView
from rankscope.logs.diagnosis import Piece, diagnose
from rankscope.logs.triage import JobFacts
from rankscope.model.capture import Trigger
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.slowness import Slowness, StepTime
from rankscope.model.state import IncidentState, JobState
from rankscope.model.text import Text
from tests.cards.builders import HOSTILE, PERSON, REPORTED, incident, small_report, view

STEPS = "".join(
    f" [2026-06-08 03:4{n}:05.000000] iteration {n:8d}/ 1000 | consumed samples: {n * 8} |"
    f" elapsed time per iteration (ms): 3101.{n} | lm loss: 6.9E+00 |\n"
    for n in range(1, 8)
)
OOM = (
    STEPS
    + """\
[rank5]: Traceback (most recent call last):
[rank5]:   File "/mnt/project/llama/train.py", line 164, in main
[rank5]:     train_step(batch)
[rank5]:   File "/mnt/project/llama/model.py", line 88, in forward
[rank5]:     scores = query @ key.transpose(-2, -1)
[rank5]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 36.00 GiB. GPU 1 has a \
total capacity of 79.11 GiB of which 3.19 GiB is free.
W0608 03:48:02.100 2606 api.py:900] Sending process 2626 closing signal SIGTERM
E0608 03:48:03.100 2606 api.py:874] failed (exitcode: 1) local_rank: 1 (pid: 2630) of binary: python
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
"""
)
COMMAND = "python train.py --out /tmp/run | tee train.log"


def facts(event: str, state: str = "failed", **other: object) -> JobFacts:
    """What is known of the job beside its logs."""
    return JobFacts(event=event, state=state, **other)  # type: ignore[arg-type]


def news(
    event: str,
    diagnosis: Diagnosis,
    message: str = "",
    state: IncidentState = IncidentState.ENDED,
    job_state: JobState = JobState.FAILED,
) -> IncidentView:
    """The view of a state event's own card."""
    known = incident(
        state, Trigger.FAILED, captures=(), message=message, event=event, diagnosis=diagnosis
    )
    return replace(view(known, job_state=job_state), report_link="")


def trouble(event: str, message: str, job_state: JobState, **other: object) -> IncidentView:
    """The view of a card of a job that goes on."""
    diagnosis = diagnose(facts(event, job_state.value, message=message, **other), [])
    return news(event, diagnosis, message, IncidentState.OPEN, job_state)


def slow(known: Slowness, state: IncidentState = IncidentState.REPORTED) -> IncidentView:
    """The view of a slow-down's card, with a capture unless it is open."""
    message = "training is slower than before"
    if state is IncidentState.OPEN:
        bare = incident(state, Trigger.SLOW, captures=(), message=message, slow=known)
        return replace(view(bare, job_state=JobState.SLOW), report_link="")
    full = incident(state, Trigger.SLOW, message=message, slow=known)
    return view(full, small_report(), REPORTED, JobState.SLOW)


SERIES = tuple(
    StepTime(n, 3101.0 + 7 * (n % 5) if n < 83 else 9465.0, ("checkpoint",) if n == 84 else ())
    for n in range(20, 93)
)
SEED = Slowness(
    tier="seed",
    mean_ms=9465.0,
    baseline_ms=3101.0,
    first=83,
    last=87,
    during=("checkpoint",),
    line="Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms), threshold ratio:2.05. "
    "Warning",
    series=SERIES,
)
PLATFORM = replace(SEED, tier="platform", during=(), series=())
ROBUST = replace(
    SEED, tier="robust", detail="drift", mean_ms=3700.0, line="", during=(), first=61, last=91
)
RATE = Slowness(tier="robust", mean_ms=80.0, baseline_ms=50.0, unit="ms/sample", detail="moderate")


def hostile_diagnosis() -> Diagnosis:
    """A diagnosis whose every foreign text is hostile and long."""
    found = diagnose(facts("job.failed"), [Piece(HOSTILE * 3, OOM + HOSTILE * 400, 9)])
    assert found.first is not None
    bad = Text(HOSTILE * 90, HOSTILE * 90)
    error = replace(found.first, text=HOSTILE * 90, where=HOSTILE * 9, advice=bad, layer=HOSTILE)
    return replace(
        found,
        first=error,
        second=error,
        notes=(bad,) * 9,
        findings=(bad,) * 30,
        steps=(bad,) * 30,
        title=bad,
        first_check=bad,
    )


NEWS_VIEWS = {
    "news_failed": news(
        "job.failed",
        diagnose(facts("job.failed", command=COMMAND), [Piece("worker-1", OOM, 1)]),
        "exit code 1",
    ),
    "news_failed_no_log": news("job.failed", diagnose(facts("job.failed"), []), "exit code 1"),
    "news_failed_no_error": news(
        "job.failed", diagnose(facts("job.failed"), [Piece("worker-0", STEPS, 4001)])
    ),
    "news_failed_no_pattern": news(
        "job.failed",
        diagnose(facts("job.failed"), [Piece("worker-0", f"{STEPS}lib.FooError: odd\n", 1)]),
    ),
    "news_failed_hang": view(
        incident(
            IncidentState.ENDED,
            revision=3,
            event="job.failed",
            diagnosis=diagnose(facts("job.failed"), [Piece("worker-1", OOM, 1)]),
        ),
        small_report(),
        REPORTED,
        JobState.FAILED,
    ),
    "news_hidden": news(
        "job.succeeded",
        diagnose(facts("job.succeeded", "succeeded", command=COMMAND), [Piece("worker-1", OOM, 1)]),
        job_state=JobState.SUCCEEDED,
    ),
    "news_succeeded": news(
        "job.succeeded",
        diagnose(facts("job.succeeded", "succeeded"), []),
        job_state=JobState.SUCCEEDED,
    ),
    "news_timeout": news(
        "job.timeout", diagnose(facts("job.timeout", "stopped"), []), "TIMEOUT after 24 h"
    ),
    "news_worker_failed": trouble(
        "job.worker_failed", "pod exp-7-worker-3: OOMKilled", JobState.RUNNING, detail="OOMKilled"
    ),
    "news_preempted": trouble("job.preempted", "pre-empted by prio-1", JobState.QUEUED, spot=True),
    "news_stalled_restarts": trouble(
        "job.stalled_restarts", "5 restarts, step 120 every time", JobState.DEPLOYING
    ),
    "news_env_check_failed": trouble(
        "job.env_check_failed", "node gpu-3: GPU 5 lost", JobState.DEPLOYING
    ),
    "news_node_unhealthy": trouble("node.unhealthy", "gpu-3: Xid 79", JobState.RUNNING),
    "news_hostile": news("job.failed", hostile_diagnosis(), HOSTILE * 90),
    "slow_seed": slow(SEED),
    "slow_platform": slow(PLATFORM, IncidentState.OPEN),
    "slow_robust": slow(ROBUST, IncidentState.OPEN),
    "slow_rate": slow(RATE, IncidentState.OPEN),
    "slow_recovered": slow(
        replace(SEED, recovered_ms=3120.0, recovered_at=102), IncidentState.RESUMED
    ),
    "slow_hostile": slow(
        replace(
            SEED,
            line=HOSTILE * 90,
            detail=HOSTILE,
            unit=HOSTILE,
            during=(HOSTILE, "checkpoint", "evaluation"),
            series=tuple(StepTime(n * 10**9, 10.0**n) for n in range(120)),
        )
    ),
    "no_hang_source": replace(
        view(
            incident(
                kind=Trigger.MANUAL, message="", captures=(), state=IncidentState.OPEN, **PERSON
            )
        ),
        report_link="",
        lacks_hang_source=True,
    ),
}
"""By the name of their golden files."""
