"""What an incident's card shows, with the picture, which is uploaded when it is first wanted."""

from dataclasses import replace

from rankscope.cards import IncidentView
from rankscope.incidents import showing
from rankscope.model.state import CaptureRecord, Incident
from rankscope.model.text import Language
from workers.context import Context
from workers.pictures import picture_of


def view_of(context: Context, incident: Incident) -> IncidentView:
    """Return all that an incident's card shows at this moment."""
    view = showing.incident_view(context, incident)
    if view.report is None:
        return view
    record = context.state.find(CaptureRecord, view.report.summary.print_id)
    return replace(view, picture=picture_of(context, record, view.report)) if record else view


def link_to(context: Context, print_id: str, language: Language | None = None) -> str:
    """Return the link to a capture's page; see rankscope.incidents.showing."""
    return showing.link_to(context.settings, print_id, language)
