"""A capture gets on, and ends in a report or with a reason."""

from dataclasses import replace

from rankscope.incidents import (
    Started,
    fail_capture,
    finish_capture,
    note_progress,
    request_capture,
)
from rankscope.model.report import Report, Summary, Verdict
from rankscope.model.state import (
    CaptureRecord,
    CaptureState,
    IncidentState,
    Outgoing,
)
from rankscope.model.text import Text
from rankscope.store.state import State
from tests.incidents.conftest import replies, the_incident
from tests.incidents.test_requests import MANUAL, started


def report_of(print_id: str) -> Report:
    return Report(
        summary=Summary("jo-1", "2026-06-08 03:49:05 (UTC)", print_id, 16, 16),
        verdict=Verdict("all_alike", "low", "unknown", Text("都一样", "all alike")),
        suspects=(),
        groups=(),
        functions=(),
        missing=(),
        cautions=(),
        next_steps=(),
    )


def test_progress_is_shown_without_a_new_revision(running: State) -> None:
    outcome = started(running)

    note_progress(running, outcome.print_id, CaptureState.RUNNING, 1, 2)

    record = running.load(CaptureRecord, outcome.print_id)
    card = running.load(Outgoing, outcome.incident_id)
    assert (record.nodes_done, record.nodes_asked) == (1, 2)
    assert (card.wanted, the_incident(running).revision) == (2, 1)


def test_a_report_is_shown_said_and_frees_the_job(running: State) -> None:
    outcome = started(running)

    finish_capture(running, report_of(outcome.print_id), "en")

    incident = the_incident(running)
    assert (incident.state, incident.revision) == (IncidentState.REPORTED, 2)
    assert running.load(CaptureRecord, outcome.print_id).state is CaptureState.REPORTED
    assert running.holder("capture:jo-1") == ""
    assert "jo-1" in replies(running)[f"reported-{outcome.print_id}"]


def test_finishing_twice_is_finishing_once(running: State) -> None:
    outcome = started(running)
    for _ in range(2):
        finish_capture(running, report_of(outcome.print_id), "en")

    assert the_incident(running).revision == 2
    assert len(replies(running)) == 1


def test_a_failure_leaves_its_reason(running: State) -> None:
    outcome = started(running)

    fail_capture(running, outcome.print_id, "The disk is full.", "en")

    record = running.load(CaptureRecord, outcome.print_id)
    assert (record.state, record.error) == (CaptureState.FAILED, "The disk is full.")
    assert the_incident(running).state is IncidentState.FAILED
    assert "The disk is full." in replies(running)[f"failed-{outcome.print_id}"]
    assert isinstance(request_capture(running, MANUAL), Started)


def test_a_report_is_never_turned_into_a_failure(running: State) -> None:
    outcome = started(running)
    finish_capture(running, report_of(outcome.print_id), "en")

    fail_capture(running, outcome.print_id, "late", "en")

    assert running.load(CaptureRecord, outcome.print_id).state is CaptureState.REPORTED
    assert the_incident(running).state is IncidentState.REPORTED


def test_a_report_after_a_failure_is_shown(running: State) -> None:
    outcome = started(running)
    fail_capture(running, outcome.print_id, "given up", "en")

    finish_capture(running, report_of(outcome.print_id), "en")

    assert the_incident(running).state is IncidentState.REPORTED
    assert running.load(CaptureRecord, outcome.print_id).error == ""


def test_a_report_does_not_reopen_a_closed_incident(running: State) -> None:
    outcome = started(running)
    closed = replace(the_incident(running), state=IncidentState.RESUMED)
    running.save(closed)

    finish_capture(running, report_of(outcome.print_id), "en")

    assert the_incident(running) == closed
    assert running.load(Outgoing, outcome.incident_id).wanted == 2
