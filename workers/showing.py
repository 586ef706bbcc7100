"""What an incident's card shows, gathered from the records and the capture store."""

from dataclasses import replace

from rankscope.cards import IncidentView
from rankscope.links import page_link
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState, Incident, Job
from workers.context import Context


def view_of(context: Context, incident: Incident) -> IncidentView:
    """Return all that an incident's card shows at this moment."""
    records = [context.state.find(CaptureRecord, one) for one in incident.captures]
    known = [record for record in records if record is not None]
    report = _latest_report(context, known)
    return IncidentView(
        incident=replace(incident, captures=tuple(record.id for record in known)),
        job=context.state.find(Job, incident.job_id),
        capture=known[-1] if known else None,
        report=report,
        report_link=link_to(context, report.summary.print_id) if report else "",
    )


def _latest_report(context: Context, records: list[CaptureRecord]) -> Report | None:
    finished = [record for record in records if record.state is CaptureState.REPORTED]
    return context.captures.find_report(finished[-1].id) if finished else None


def link_to(context: Context, print_id: str) -> str:
    """Return the link to a capture's page, or an empty string without a key to sign it."""
    settings = context.settings
    if not settings.links_key:
        return ""
    return page_link(settings.public_url, settings.links_key, print_id)
