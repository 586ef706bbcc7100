"""What a card shows of a diagnosis: the first error, the stage, what was noticed; cut to size."""

from dataclasses import dataclass

from rankscope.cards.budget import Limits
from rankscope.cards.escape import plain
from rankscope.cards.facts import NAME_CHARS
from rankscope.cards.view import IncidentView
from rankscope.model.diagnosis import LogError
from rankscope.model.text import Language, Text

ASKS_FOR_LOG = frozenset({"job.failed", "job.worker_failed", "job.timeout"})
"""What a log could explain; others are said by the platform as they are."""
LAYERS = frozenset({"platform", "image", "code", "command"})


@dataclass(frozen=True, slots=True)
class ErrorRow:
    """A line that failed; place is empty when it is the event's own words."""

    place: str
    text: str
    layer: str
    rank: int | None
    where: str
    ranks: int
    advice: str


@dataclass(frozen=True, slots=True)
class DiagnosisRows:
    """A diagnosis cut to the limits of a card; steps are folded, so that they may be many."""

    has_log: bool
    wants_log: bool
    first: ErrorRow | None
    second: ErrorRow | None
    certain: bool
    hidden: bool
    notes: tuple[str, ...]
    consequences: int
    shows_stage: bool
    title: str
    first_check: str
    findings: tuple[str, ...]
    more_findings: int
    steps: tuple[str, ...]


def diagnosis_rows(view: IncidentView, limits: Limits, language: Language) -> DiagnosisRows | None:
    """Return what the card shows, or None when it has no diagnosis or the capture says more.

    A card with a report has its own next steps: there the logs' first error is all that is added.
    """
    long = 2 * limits.chars
    found, is_state = view.incident.diagnosis, bool(view.incident.event)
    if found is None or (view.report and not is_state and found.first is None):
        return None
    return DiagnosisRows(
        has_log=bool(found.logs),
        wants_log=not found.logs and view.incident.event in ASKS_FOR_LOG,
        first=_row(found.first, limits, language),
        second=_row(found.second, limits, language) if limits.reasons > 1 else None,
        certain=found.certain,
        hidden=found.hidden,
        notes=_texts(found.notes, limits.cautions, limits.chars, language),
        consequences=found.consequences,
        shows_stage=is_state or view.report is None,
        title=plain(found.title.of(language), limits.chars),
        first_check=plain(found.first_check.of(language), long),
        findings=_texts(found.findings, limits.reasons + 1, long, language),
        more_findings=max(0, len(found.findings) - limits.reasons - 1),
        steps=_texts(found.steps, limits.steps, long, language),
    )


def _row(error: LogError | None, limits: Limits, language: Language) -> ErrorRow | None:
    if error is None:
        return None
    long = 2 * limits.chars
    return ErrorRow(
        place=f"{plain(error.file, NAME_CHARS)}:{error.line}" if error.file else "",
        text=plain(error.text, long),
        layer=error.layer if error.layer in LAYERS else "none",
        rank=error.rank,
        where=plain(error.where, limits.chars),
        ranks=error.ranks,
        advice=plain(error.advice.of(language), long),
    )


def _texts(texts: tuple[Text, ...], shown: int, chars: int, language: Language) -> tuple[str, ...]:
    return tuple(plain(text.of(language), chars) for text in texts[:shown])
