"""What an incident's card shows, gathered from the records and the capture store."""

from dataclasses import replace
from typing import Protocol

from rankscope.cards.view import IncidentView
from rankscope.incidents.language import language_of
from rankscope.incidents.silence import silence_of
from rankscope.incidents.sources import lacks_hang_source
from rankscope.links import page_link
from rankscope.model.state import CaptureRecord, CaptureState, Incident, Job
from rankscope.model.text import Language
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State


class Sources(Protocol):
    """Where a card's facts come from."""

    @property
    def state(self) -> State:
        """The records in Redis."""

    @property
    def captures(self) -> CaptureStore:
        """The capture store."""

    @property
    def settings(self) -> Settings:
        """The settings."""


def incident_view(sources: Sources, incident: Incident) -> IncidentView:
    """Return all that an incident's card shows now; the picture only once it is uploaded.

    Raises StoreError when the report cannot be read.
    """
    state = sources.state
    records = [state.find(CaptureRecord, one) for one in incident.captures]
    known = [record for record in records if record is not None]
    finished = [record for record in known if record.state is CaptureState.REPORTED]
    report = sources.captures.find_report(finished[-1].id) if finished else None
    language = language_of(state, incident, sources.settings.language)
    return IncidentView(
        incident=replace(incident, captures=_countable(known)),
        job=state.find(Job, incident.job_id),
        capture=known[-1] if known else None,
        report=report,
        report_link=link_to(sources.settings, report.summary.print_id, language) if report else "",
        silence=silence_of(state, incident.job_id),
        lacks_hang_source=lacks_hang_source(state, sources.settings),
        picture=finished[-1].picture if report else "",
    )


def _countable(records: list[CaptureRecord]) -> tuple[str, ...]:
    """Return the captures that can be compared, and the latest, which may become one of them."""
    reported = [record.id for record in records if record.state is CaptureState.REPORTED]
    latest = [record.id for record in records[-1:] if record.id not in reported]
    return (*reported, *latest)


def link_to(settings: Settings, print_id: str, language: Language | None = None) -> str:
    """Return the link to a capture's page, or an empty string without a key to sign it.

    The page is in the given language, else in that of the settings.
    """
    if not settings.links_key:
        return ""
    link = page_link(settings.public_url, settings.links_key, print_id)
    return link if language in {None, settings.language} else f"{link}&lang={language}"
