"""How a capture gets on: nodes done, then a report or the reason of its failure."""

from dataclasses import dataclass, replace
from functools import partial

from rankscope.chat import replies
from rankscope.incidents.outbox import reply_in_thread, reply_to_message, show_card
from rankscope.incidents.records import FINISHED, enter, flight, job_lock
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState, Incident, IncidentState
from rankscope.model.text import Language, Text
from rankscope.store.state import State


def note_progress(state: State, print_id: str, new: CaptureState, done: int, asked: int) -> None:
    """Record how many nodes are done and show it; the card's revision stays as it is."""

    def edit(record: CaptureRecord) -> CaptureRecord:
        if record.state in FINISHED:
            return record
        return replace(record, state=new, nodes_done=done, nodes_asked=asked)

    record = state.change(CaptureRecord, print_id, edit)
    show_card(state, state.load(Incident, record.incident_id))


def finish_capture(state: State, report: Report, language: Language) -> None:
    """Show a capture's report on the card, and say below it that it is there."""
    text = replies.capture_finished(report)
    _end(state, report.summary.print_id, _Ending(CaptureState.REPORTED, "", text), language)


def fail_capture(state: State, print_id: str, reason: str, language: Language) -> None:
    """Show that a capture failed for good and why; a finished one is left alone."""
    record = state.load(CaptureRecord, print_id)
    text = replies.capture_failed(record.job_id, reason)
    _end(state, print_id, _Ending(CaptureState.FAILED, reason, text), language)


@dataclass(frozen=True, slots=True)
class _Ending:
    """How a capture ends: its final state, the error that goes with it, and what is said."""

    new: CaptureState
    error: str
    text: Text

    def of_record(self, record: CaptureRecord) -> CaptureRecord:
        """Return the ended record; a report, once there, stays."""
        if record.state is CaptureState.REPORTED:
            return record
        return replace(record, state=self.new, error=self.error)

    def of_incident(self, print_id: str, incident: Incident) -> Incident:
        """Return the incident with its latest capture ended; one that is over stays over."""
        is_latest = incident.captures[-1:] == (print_id,)
        shown = is_latest and incident.state in {IncidentState.CAPTURING, IncidentState.FAILED}
        return enter(incident, IncidentState(self.new.value)) if shown else incident


def _end(state: State, print_id: str, ending: _Ending, language: Language) -> None:
    job_id = state.load(CaptureRecord, print_id).job_id
    with job_lock(state, job_id):
        record = state.change(CaptureRecord, print_id, ending.of_record)
        if record.state is not ending.new:
            return
        incident = state.change(Incident, record.incident_id, partial(ending.of_incident, print_id))
        state.release(flight(job_id), print_id)
        show_card(state, incident)
        what = f"{ending.new.value}-{print_id}"
        reply_in_thread(state, incident, what, ending.text, language)
        if record.answer_to:
            reply_to_message(state, record.answer_to, what, ending.text, language)
