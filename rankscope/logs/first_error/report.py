"""What `rankscope errors` prints, as JSON (docs/errors.md) and as text."""

from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.analysis.visible import visible
from rankscope.logs.first_error.model import Answer, Consequence, Error
from rankscope.logs.triage.model import Triage
from rankscope.model.text import Language, Text
from rankscope.text import say

MOST_SHOWN = 8


@dataclass(frozen=True, slots=True)
class ShownError:
    """An error; layer is null when its line alone does not tell whose it is."""

    file: str
    line: int
    text: str
    rank: int | None
    worker: str
    layer: str | None
    rule: str
    role: str
    where: str
    ranks: int
    advice: Text


@dataclass(frozen=True, slots=True)
class ShownTriage:
    """The stage in words, with what to do and what was noticed."""

    title: Text
    first_check: Text
    steps: tuple[Text, ...]
    findings: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The whole answer; consequences hold one entry per kind, consequence_count counts lines."""

    first_error: ShownError | None
    second: ShownError | None
    consequences: tuple[Consequence, ...]
    consequence_count: int
    hidden_failure: bool
    stage: str
    certain: bool
    absent_ranks: tuple[int, ...]
    notes: tuple[Text, ...]
    triage: ShownTriage


def report_of(answer: Answer, triage: Triage, *, hidden_failure: bool) -> Report:
    """Put the answer and its triage together."""
    return Report(
        first_error=_shown(answer.first_error),
        second=_shown(answer.second),
        consequences=answer.consequences,
        consequence_count=answer.consequence_count,
        hidden_failure=hidden_failure,
        stage=triage.stage.value,
        certain=answer.certain,
        absent_ranks=answer.absent,
        notes=answer.notes,
        triage=ShownTriage(triage.title, triage.first_check, triage.steps, triage.findings),
    )


def _shown(error: Error | None) -> ShownError | None:
    if error is None:
        return None
    return ShownError(
        error.file,
        error.line,
        error.text,
        error.rank,
        error.worker,
        error.layer.value or None,
        error.rule,
        error.role.value,
        error.where,
        error.ranks,
        error.advice,
    )


def report_text(report: Report, language: Language) -> str:
    """Return the answer as text for a terminal, the most important line first."""
    return "\n".join(visible(text.of(language)) for text in _lines(report)) + "\n"


def _lines(report: Report) -> Iterator[Text]:
    first = report.first_error
    if first is None:
        yield say("errors-none")
    else:
        yield from _error_lines("errors-first", first)
    yield from report.notes
    if report.second:
        yield from _error_lines("errors-second", report.second)
    yield from _consequence_lines(report)
    title = report.triage.title
    yield Text(say("errors-stage", title=title.zh).zh, say("errors-stage", title=title.en).en)
    yield report.triage.first_check
    yield from (_bullet(text) for text in (*report.triage.findings, *report.triage.steps))


def _error_lines(heading: str, error: ShownError) -> Iterator[Text]:
    place = f"{error.file}:{error.line}" if error.file else str(error.line)
    yield say(heading, place=place)
    yield Text(f"    {error.text}", f"    {error.text}")
    layer = say(f"errors-layer-{error.layer or 'none'}")
    rank = say("errors-rank", rank=error.rank) if error.rank is not None else None
    where = say("errors-where", where=error.where) if error.where else None
    parts = [part for part in (layer, rank, where) if part]
    yield Text("，".join(p.zh for p in parts), ", ".join(p.en for p in parts))
    yield error.advice


def _consequence_lines(report: Report) -> Iterator[Text]:
    if not report.consequences:
        return
    yield say("errors-consequences", count=report.consequence_count)
    for one in report.consequences[:MOST_SHOWN]:
        line = f"    {one.line}: {one.text[:120]}" + (f" (x{one.count})" if one.count > 1 else "")
        yield Text(line, line)


def _bullet(text: Text) -> Text:
    return Text(f"- {text.zh}", f"- {text.en}")
