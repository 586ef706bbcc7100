"""The stages of a capture: ask the nodes and store the answers, then analyse them.

A stage whose output is there already goes straight on, so that a crash anywhere is repaired by
running it again. What fails for good leaves its reason in the record and on the card.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import structlog

from rankscope.analysis import analyse as analyse_capture
from rankscope.capture import CaptureRequest, Collected, collect
from rankscope.capture_file import parse_capture
from rankscope.chat.replies import no_agent
from rankscope.errors import RankscopeError, UnusableInput
from rankscope.incidents import (
    fail_capture,
    finish_capture,
    note_progress,
    targets_of,
    world_size_of,
)
from rankscope.incidents.records import FINISHED
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState, Job
from rankscope.queueing import Task, submit
from rankscope.text import say
from workers.context import Context, is_last_try
from workers.reporting import Reporter

SPOOL = "spool"
SHOWN_REASONS = 2

_log = structlog.get_logger()


def capture(context: Context, print_id: str) -> None:
    """Ask all nodes of a job and store what they answered; then have it analysed."""
    record = _unfinished(context, print_id)
    if record is None:
        return
    with _final_failure(context, print_id):
        if not context.captures.has_capture(print_id):
            _collect_and_store(context, record)
        _go_on(context, print_id)


def analyse(context: Context, print_id: str) -> None:
    """Turn a stored capture into a report and show it."""
    if _unfinished(context, print_id) is None:
        return
    with _final_failure(context, print_id):
        try:
            report = context.captures.find_report(print_id) or _analyse(context, print_id)
        except UnusableInput as error:
            _fail(context, print_id, say("incident-broken", reason=error.what).of(_lang(context)))
            return
        if report.summary.ranks_seen == 0 and _nobody_answered(context, print_id):
            return
        finish_capture(context.state, report, _lang(context))


def _lang(context: Context) -> str:
    return context.settings.language


def _unfinished(context: Context, print_id: str) -> CaptureRecord | None:
    record = context.state.find(CaptureRecord, print_id)
    return None if record is None or record.state in FINISHED else record
