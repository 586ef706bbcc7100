"""A second capture some minutes after a hang's first one, compared with it by itself."""

from datetime import timedelta

import structlog

from rankscope.incidents import Ask, request_capture, silence_of
from rankscope.model.capture import Trigger
from rankscope.model.state import CaptureRecord, Incident
from rankscope.queueing import Task, submit, submit_later
from workers.context import Context

_log = structlog.get_logger()


def follow_up(context: Context, record: CaptureRecord) -> None:
    """Plan the second capture after a hang's first, or compare the second with the first."""
    if record.compare_with:
        submit(
            context.redis, Task.COMPARE, record.incident_id, record.compare_with, record.id,
            unique_id=f"compare-second-{record.id}",
        )  # fmt: skip
    elif _wants_second(context, record):
        delay = timedelta(seconds=context.settings.second_capture_s)
        submit_later(
            context.redis, Task.SECOND_CAPTURE, record.id,
            unique_id=f"second-{record.id}", delay=delay,
        )  # fmt: skip


def _wants_second(context: Context, record: CaptureRecord) -> bool:
    by_alert = record.trigger is Trigger.HANG and not record.requested_by
    return by_alert and context.settings.second_capture_s > 0


def second_capture(context: Context, print_id: str) -> None:
    """Capture again, unless the hang is over, is silenced, or somebody has captured meanwhile."""
    record = context.state.find(CaptureRecord, print_id)
    incident = context.state.find(Incident, record.incident_id) if record else None
    if record is None or incident is None or incident.state.is_final:
        return
    ask = Ask(
        job_id=record.job_id,
        trigger=Trigger.RECAPTURE,
        request_id=f"second-{print_id}",
        chat_id=incident.chat_id,
        compare_with=print_id,
    )
    again = context.state.new_print_id(ask.request_id)
    if incident.captures[-1] not in {print_id, again} or silence_of(context.state, record.job_id):
        _log.info("no second capture", print_id=print_id)
        return
    request_capture(context.state, ask)
