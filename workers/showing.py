"""What an incident's card shows, gathered from the records and the capture store."""

from dataclasses import replace

from rankscope.cards import IncidentView
from rankscope.links import page_link
from rankscope.model.state import CaptureRecord, CaptureState, Incident, Job
from workers.context import Context


def view_of(context: Context, incident: Incident) -> IncidentView:
    """Return all that an incident's card shows at this moment."""
    records = [context.state.find(CaptureRecord, one) for one in incident.captures]
    known = [record for record in records if record is not None]
    finished = [record for record in known if record.state is CaptureState.REPORTED]
    report = context.captures.find_report(finished[-1].id) if finished else None
    return IncidentView(
        incident=replace(incident, captures=_countable(known)),
        job=context.state.find(Job, incident.job_id),
        capture=known[-1] if known else None,
        report=report,
        report_link=link_to(context, report.summary.print_id) if report else "",
    )


def _countable(records: list[CaptureRecord]) -> tuple[str, ...]:
    """Return the captures that can be compared, and the latest, which may become one of them."""
    reported = [record.id for record in records if record.state is CaptureState.REPORTED]
    latest = [record.id for record in records[-1:] if record.id not in reported]
    return (*reported, *latest)


def link_to(context: Context, print_id: str) -> str:
    """Return the link to a capture's page, or an empty string without a key to sign it."""
    settings = context.settings
    if not settings.links_key:
        return ""
    return page_link(settings.public_url, settings.links_key, print_id)
