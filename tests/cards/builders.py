"""Incidents as they look in real life, in every state."""

from dataclasses import replace
from typing import Any

from rankscope.cards.view import IncidentView
from rankscope.model.capture import Trigger
from rankscope.model.report import Report
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
    JobState,
    Silence,
)
from tests.cards.reports import (
    ALL_REDUCE,
    CAUTION,
    EARLIER,
    HOSTILE,
    JOB_ID,
    LINK,
    NCCL,
    PRINT_ID,
    READ_SHARD,
    STEPS,
    STUCK,
    comparison,
    healthy_report,
    hostile_nccl,
    hostile_report,
    large_report,
    nccl_report,
    partial_report,
    small_report,
)

__all__ = [
    "ALL_REDUCE",
    "CAUTION",
    "EARLIER",
    "HOSTILE",
    "JOB_ID",
    "LINK",
    "NCCL",
    "PRINT_ID",
    "READ_SHARD",
    "STEPS",
    "STUCK",
    "comparison",
    "healthy_report",
    "hostile_nccl",
    "hostile_report",
    "large_report",
    "nccl_report",
    "partial_report",
    "small_report",
]


def incident(
    state: IncidentState = IncidentState.REPORTED, kind: Trigger = Trigger.HANG, **other: Any
) -> Incident:
    """An incident of the example job."""
    known = Incident(
        id=f"in-{PRINT_ID}",
        job_id=JOB_ID,
        kind=kind,
        chat_id="oc_5ce6d572455d361153b7cb51da133945",
        opened_at=1780890485.1,
        state=state,
        captures=(PRINT_ID,),
        message="no step line for 124 s; the last was step 7",
    )
    return replace(known, **other)


def record(state: CaptureState, done: int = 2, asked: int = 2, error: str = "") -> CaptureRecord:
    """The record of the incident's latest capture."""
    return CaptureRecord(
        id=PRINT_ID,
        job_id=JOB_ID,
        incident_id=f"in-{PRINT_ID}",
        trigger=Trigger.HANG,
        requested_at=1780890545.1,
        state=state,
        nodes_asked=asked,
        nodes_done=done,
        error=error,
    )


def job(state: JobState = JobState.HANG) -> Job:
    """The example job."""
    return Job(id=JOB_ID, name="llama-7b pretrain", owner="ming", world_size=8, state=state)


def view(
    known: Incident,
    report: Report | None = None,
    capture: CaptureRecord | None = None,
    job_state: JobState = JobState.HANG,
) -> IncidentView:
    """The view of an incident."""
    return IncidentView(
        incident=known, job=job(job_state), capture=capture, report=report, report_link=LINK
    )


REPORTED = record(CaptureState.REPORTED)
PERSON: dict[str, Any] = {
    "last_actor": "ou_84aad35d084aa403a838cf73ee18467",
    "last_action": "recapture",
}

ACKNOWLEDGED: dict[str, Any] = {
    **PERSON,
    "last_action": "ack",
    "last_at": 1780890600.0,
}
SILENCED: dict[str, Any] = {**ACKNOWLEDGED, "last_action": "silence"}
MORE = ("1780890365107774003", "1780890425107774003")

VIEWS = {
    "preparing": view(
        incident(IncidentState.CAPTURING), capture=record(CaptureState.REQUESTED, 0, 0)
    ),
    "capturing": view(incident(IncidentState.CAPTURING), capture=record(CaptureState.RUNNING, 1)),
    "recapturing": view(
        incident(IncidentState.CAPTURING, revision=3, captures=(EARLIER, PRINT_ID), **PERSON),
        small_report(),
        record(CaptureState.RUNNING, 1),
    ),
    "hang": view(incident(revision=2), small_report(), REPORTED),
    "hang_twice": view(
        incident(revision=4, captures=(EARLIER, PRINT_ID), **PERSON), small_report(), REPORTED
    ),
    "nccl": view(incident(revision=2), nccl_report(), REPORTED),
    "slow": view(incident(kind=Trigger.SLOW), small_report(), REPORTED, JobState.SLOW),
    "nobody": view(incident(), partial_report(), record(CaptureState.REPORTED, 1)),
    "healthy": view(
        incident(
            kind=Trigger.MANUAL, message="", last_actor=PERSON["last_actor"], last_action="capture"
        ),
        healthy_report(),
        REPORTED,
        JobState.RUNNING,
    ),
    "no_report": view(incident(), None, REPORTED),
    "failed": view(
        incident(IncidentState.FAILED),
        None,
        record(CaptureState.FAILED, 0, error="no node of the job answered within 30 s"),
    ),
    "resumed": view(
        incident(IncidentState.RESUMED, revision=3), small_report(), REPORTED, JobState.RUNNING
    ),
    "ended": view(
        incident(IncidentState.ENDED, revision=3), small_report(), REPORTED, JobState.FAILED
    ),
    "closed": view(incident(IncidentState.CLOSED, revision=3), small_report(), REPORTED),
    "acked": view(
        incident(revision=2, acked_by=PERSON["last_actor"], acked_at=1780890600.0, **ACKNOWLEDGED),
        small_report(),
        REPORTED,
    ),
    "silenced": replace(
        view(incident(revision=2, **SILENCED), small_report(), REPORTED),
        silence=Silence(id=JOB_ID, until=0, by=PERSON["last_actor"], at=1780890600.0),
    ),
    "silenced_until": replace(
        view(incident(revision=2, **SILENCED), small_report(), REPORTED),
        silence=Silence(id=JOB_ID, until=1780892400.0, by=PERSON["last_actor"], at=1780890600.0),
    ),
    "many": view(
        incident(revision=6, captures=(*MORE, EARLIER, PRINT_ID), **PERSON),
        small_report(),
        REPORTED,
    ),
    "picture": replace(
        view(incident(), large_report(), record(CaptureState.REPORTED, 480, 512)),
        picture="img_v3_ranks",
    ),
    "large": view(incident(), large_report(), record(CaptureState.REPORTED, 480, 512)),
    "hostile": view(
        incident(message=HOSTILE * 50, job_id=HOSTILE * 9, last_actor="ou_x></at><at id=all>"),
        hostile_report(),
        record(CaptureState.REPORTED),
    ),
}
"""Every state a card can be in, by the name of its golden file."""
