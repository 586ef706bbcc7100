"""The stages of a capture: ask the nodes and store the answers, then analyse them.

A stage whose output is there already goes straight on, so that a crash anywhere is repaired by
running it again. What fails for good leaves its reason in the record and on the card.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from rankscope.analysis import analyse as analyse_capture
from rankscope.capture import CaptureRequest, Trust
from rankscope.capture_file import parse_capture
from rankscope.chat.replies import no_agent
from rankscope.errors import UnusableInput
from rankscope.incidents import (
    fail_capture,
    finish_capture,
    note_progress,
    targets_of,
    world_size_of,
)
from rankscope.incidents.launch import environments_of, note_launch
from rankscope.incidents.records import FINISHED
from rankscope.model.capture import Capture, Trigger
from rankscope.model.state import CaptureRecord, CaptureState, Incident, Job
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from rankscope.text import say
from workers.context import Context, is_last_try
from workers.leased import leased_collect
from workers.second import follow_up

SPOOL = "spool"
SHOWN_REASONS = 2
NATIVE_BUDGET_S = 30.0
"""Native frames take an agent up to 15 s for each process (docs/agent.md)."""

_log = structlog.get_logger()


def capture(context: Context, print_id: str) -> None:
    """Ask all nodes of a job and store what they answered; then have it analysed."""
    record = _unfinished(context, print_id)
    if record is None:
        return
    with _failing_for_good(context, print_id):
        if not context.captures.has_capture(print_id):
            request = _request(context, record)
            if not any(target.endpoint for target in request.targets):
                _fail(context, print_id, no_agent(record.job_id))
                return
            _collect_and_store(context, request)
        submit(context.redis, Task.ANALYSE, print_id, unique_id=f"analyse-{print_id}")


def analyse(context: Context, print_id: str) -> None:
    """Turn a stored capture into a report and show it."""
    record = context.state.find(CaptureRecord, print_id)
    if record is None or record.state is CaptureState.FAILED:
        return
    with _failing_for_good(context, print_id):
        report = context.captures.find_report(print_id)
        if report is None:
            capture_read = _read(context, print_id)
            if capture_read is None:
                return
            job = context.state.find(Job, record.job_id) or Job(id=record.job_id)
            note_launch(context.state, job, environments_of(capture_read))
            report = analyse_capture(capture_read)
            context.captures.write_report(report)
        # Also when it is recorded as reported: what follows may have been broken off.
        finish_capture(context.state, report, context.settings.language)
        follow_up(context, record)
        _log.info("capture reported", suspects=[suspect.rank for suspect in report.suspects])


def _unfinished(context: Context, print_id: str) -> CaptureRecord | None:
    record = context.state.find(CaptureRecord, print_id)
    return None if record is None or record.state in FINISHED else record


def _fail(context: Context, print_id: str, reason: Text) -> None:
    language = context.settings.language
    fail_capture(context.state, print_id, reason.of(language), language)
    _log.warning("capture failed", reason=reason.en)


@contextmanager
def _failing_for_good(context: Context, print_id: str) -> Iterator[None]:
    """Record a failure that RQ will not try again; the reconciler does so when we are killed."""
    try:
        yield
    except Exception as error:
        if is_last_try():
            _fail(context, print_id, Text(str(error), str(error)))
        raise


def _trigger(context: Context, record: CaptureRecord) -> Trigger:
    """Return why a capture is taken; one that people ask for of a slow job is of a slow job, too.

    The steps of a slow job end: two samples that are alike do not make it stand still.
    """
    incident = context.state.find(Incident, record.incident_id)
    by_people = record.trigger in {Trigger.RECAPTURE, Trigger.MANUAL}
    is_slow = incident is not None and incident.kind is Trigger.SLOW
    return Trigger.SLOW if by_people and is_slow else record.trigger


def _request(context: Context, record: CaptureRecord) -> CaptureRequest:
    settings = context.settings
    job = context.state.find(Job, record.job_id) or Job(id=record.job_id)
    spool = settings.data_dir / SPOOL
    spool.mkdir(parents=True, exist_ok=True)
    return CaptureRequest(
        job_id=record.job_id,
        print_id=record.id,
        trigger=_trigger(context, record),
        targets=targets_of(context.state, job),
        secret=settings.agent_secret.get_secret_value(),
        networks=settings.agent_networks,
        trust=Trust(settings.worker_tls_ca, settings.worker_tls_cert, settings.worker_tls_key),
        spool=spool,
        world_size=world_size_of(context.state, job),
        samples=record.samples or settings.capture_samples,
        interval_s=settings.capture_interval_s,
        lead_s=settings.capture_lead_s,
        budget_s=max(settings.capture_budget_s, NATIVE_BUDGET_S if record.native else 0),
        native=record.native,
        nccl_interval_s=settings.nccl_interval_s,
        progressed=job.has_progressed or record.trigger is Trigger.SLOW,
    )


def _collect_and_store(context: Context, request: CaptureRequest) -> None:
    state, print_id, asked = context.state, request.print_id, len(request.targets)

    def note(done: int) -> None:
        note_progress(state, print_id, CaptureState.RUNNING, done, asked)

    with tempfile.TemporaryDirectory(dir=request.spool, prefix=f"{print_id}-") as spool:
        collected = leased_collect(state, request.in_spool(Path(spool)), note)
        context.captures.write_capture(print_id, collected.lines())
    note_progress(state, print_id, CaptureState.CAPTURED, collected.answered, asked)
    _log.info("captured", nodes=asked)


def _read(context: Context, print_id: str) -> Capture | None:
    """Return a stored capture, or None after saying why there is nothing to analyse."""
    try:
        found = parse_capture(context.captures.read_capture(print_id))
    except UnusableInput as error:
        _fail(context, print_id, say("incident-broken", reason=error.what))
        return None
    if any(sample.processes for sample in found.samples):
        return found
    _fail(context, print_id, _nobody(found))
    return None


def _nobody(found: Capture) -> Text:
    """Say that no node returned a stack, with the first reasons."""
    reasons = {sample.node: sample.error for sample in found.samples if sample.error}
    shown = [f"{node}: {why}" for node, why in list(reasons.items())[:SHOWN_REASONS]]
    asked = len(found.header.requested_nodes) or len(reasons)
    return say("incident-no-answer", asked=asked, reasons=" ".join(shown))
