"""All that a card shows, collected by who sends it, so that rendering needs nothing else."""

from dataclasses import dataclass

from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, Incident, Job, Silence


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentView:
    """An incident's card; report is the latest finished one, capture the latest requested one.

    picture is Feishu's key of the picture of the report's ranks, empty where there is none.
    lacks_hang_source: captures are to start by themselves, and nobody has ever told of a hang.
    """

    incident: Incident
    job: Job | None = None
    capture: CaptureRecord | None = None
    report: Report | None = None
    report_link: str = ""
    silence: Silence | None = None
    picture: str = ""
    lacks_hang_source: bool = False
