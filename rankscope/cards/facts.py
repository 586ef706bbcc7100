"""What an incident's card shows, gathered from its view and cut to the given limits."""

from collections import Counter
from dataclasses import dataclass

from rankscope.cards.budget import Limits
from rankscope.cards.escape import plain, short_frame
from rankscope.cards.ranks import control_of, place_of
from rankscope.cards.view import IncidentView
from rankscope.local_time import shown
from rankscope.model.report import Group, Report, Suspect
from rankscope.model.state import CaptureState, IncidentState
from rankscope.model.text import Language, Text
from rankscope.text import say

PRINT_ID_DIGITS = 19
"""Nanoseconds since the epoch have 19 digits from 2001 to 2286."""
MOST_CHOICES = 10
"""Captures to choose from for a comparison; each takes two elements of a card's 200."""
NAME_CHARS = 64
"""Ids, names of nodes and rank sets; a Kubernetes node name has at most 63 characters."""


@dataclass(frozen=True, slots=True)
class SuspectRow:
    """A suspect with where it is and why it is named."""

    rank: int
    node: str
    where: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One row of the table of groups; the report page has the line numbers."""

    ranks: str
    count: int
    where: str


@dataclass(frozen=True, slots=True)
class MissingRow:
    """A rank or node without a usable stack; rank is None for a whole node."""

    rank: int | None
    node: str
    reason: str


@dataclass(frozen=True, slots=True)
class Findings:
    """A report cut to size; the `more_…` numbers say what was left out."""

    captured_at: str
    print_id: str
    ranks_seen: int
    ranks_expected: int | None
    verdict: str
    suspects: tuple[SuspectRow, ...]
    more_suspects: int
    control: GroupRow | None
    groups: tuple[GroupRow, ...]
    more_groups: int
    missing: tuple[MissingRow, ...]
    more_missing: int
    nccl: str
    communicators: tuple[str, ...]
    more_communicators: int
    cautions: tuple[str, ...]
    steps: tuple[str, ...]
    more_steps: int


def can_compare(view: IncidentView) -> bool:
    """Whether two finished captures are there; the latest counts once it is reported."""
    latest = view.capture
    unfinished = latest is not None and latest.state is not CaptureState.REPORTED
    return len(view.incident.captures) - unfinished >= 2


def comparable(view: IncidentView) -> tuple[str, ...]:
    """Return the finished captures to choose from, oldest first; empty unless there are three."""
    latest = view.capture
    unfinished = latest is not None and latest.state is not CaptureState.REPORTED
    captures = view.incident.captures
    finished = captures[:-1] if unfinished else captures
    return finished[-MOST_CHOICES:] if len(finished) > 2 else ()


def is_busy(view: IncidentView) -> bool:
    """Whether a capture is under way, so that no other may be started."""
    return view.incident.state is IncidentState.CAPTURING


def captured_at(print_id: str) -> str:
    """Return a capture's start as `YYYY-MM-DD HH:MM:SS (zone)`, empty if that is no print id."""
    if not (print_id.isascii() and print_id.isdecimal() and len(print_id) == PRINT_ID_DIGITS):
        return ""
    return shown(int(print_id) / 1e9, "%Y-%m-%d %H:%M:%S")


def job_label(view: IncidentView) -> str:
    """Return the job's name and id, or its id alone."""
    job_id = plain(view.incident.job_id, NAME_CHARS)
    name = plain(view.job.name, NAME_CHARS) if view.job else ""
    return f"{name} · {job_id}" if name and name != job_id else job_id


def findings(report: Report, limits: Limits, language: Language) -> Findings:
    """Cut a report to the limits of a card."""
    cut, summary = limits.chars, report.summary
    return Findings(
        captured_at=captured_at(summary.print_id) or plain(summary.analysis_time, NAME_CHARS),
        print_id=plain(summary.print_id, NAME_CHARS),
        ranks_seen=summary.ranks_seen,
        ranks_expected=summary.ranks_expected,
        verdict=plain(report.verdict.text.of(language), 2 * cut),
        suspects=tuple(
            _suspect(report, suspect, limits, language)
            for suspect in report.suspects[: limits.suspects]
        ),
        more_suspects=_rest(report.suspects, limits.suspects),
        control=_control(report),
        groups=_groups(report, limits),
        more_groups=_rest(report.groups, limits.groups),
        missing=tuple(
            MissingRow(
                lost.rank, plain(lost.node or "", NAME_CHARS), plain(lost.why(language), cut)
            )
            for lost in report.missing[: limits.missing]
        ),
        more_missing=_rest(report.missing, limits.missing),
        nccl=plain(report.nccl.text.of(language), cut) if report.nccl else "",
        communicators=_sentences(_communicators(report), limits.communicators, cut, language),
        more_communicators=_rest(_communicators(report), limits.communicators),
        cautions=_sentences(_cautions(report), limits.cautions, cut, language),
        steps=_sentences(report.next_steps, limits.steps, cut, language),
        more_steps=_rest(report.next_steps, limits.steps),
    )


def _cautions(report: Report) -> tuple[Text, ...]:
    """Return the report's cautions but one: a card says in its own words that it is a photo."""
    photo = say("analysis-caution-photo")
    return tuple(caution for caution in report.cautions if caution != photo)


def _communicators(report: Report) -> tuple[Text, ...]:
    """Return what is wrong with the worst communicators, unless the line says it already."""
    status = report.nccl
    if status is None:
        return ()
    texts = (comm.text for comm in status.communicators)
    return tuple(text for text in texts if text is not None and text != status.text)


def _rest(items: tuple[object, ...], shown: int) -> int:
    return max(0, len(items) - shown)


def _sentences(
    texts: tuple[Text, ...], shown: int, chars: int, language: Language
) -> tuple[str, ...]:
    return tuple(plain(text.of(language), chars) for text in texts[:shown])


def _suspect(report: Report, suspect: Suspect, limits: Limits, language: Language) -> SuspectRow:
    where = short_frame(place_of(report, suspect), min(80, limits.chars))
    reasons = _sentences(suspect.reasons, limits.reasons, limits.chars, language)
    return SuspectRow(suspect.rank, plain(suspect.node, NAME_CHARS), where, reasons)


def _control(report: Report) -> GroupRow | None:
    control = control_of(report) if report.suspects else None
    if control is None or not control.group.frames:
        return None
    where = short_frame(control.group.frames[0])
    return GroupRow(str(control.rank), control.group.count, where)


def _groups(report: Report, limits: Limits) -> tuple[GroupRow, ...]:
    shown = report.groups[: limits.groups]
    labels = Counter(group.label for group in shown)
    return tuple(
        GroupRow(
            plain(group.ranks, NAME_CHARS),
            group.count,
            _place(group, limits.chars, is_shared=labels[group.label] > 1),
        )
        for group in shown
    )


def _place(group: Group, chars: int, *, is_shared: bool) -> str:
    """Return a group's label, and its innermost frame where the label alone does not tell it."""
    label = plain(group.label, min(80, chars))
    if group.frames and (is_shared or not label):
        frame = short_frame(group.frames[0], min(80, chars))
        return f"{label} · {frame}" if label else frame
    return label
