"""The report as text, in the platform's layout, with our own sections after it."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from rankscope.analysis.visible import visible
from rankscope.analysis.words import tell
from rankscope.model.report import (
    FunctionStatistics,
    MissingRank,
    NcclStatus,
    Report,
    Side,
    SideBySide,
)
from rankscope.model.text import Language, Text
from rankscope.nccl.findings import Kind

_WIDTH = 70
TITLE = "Stack Trace Analysis Report"


def report_text(report: Report, language: Language = "zh") -> str:
    """Return a report as text; Summary and Function Call Statistics look as on the platform."""
    return _text([*_platform(report), *_own(report, language)])


def findings_text(report: Report, language: Language = "zh") -> str:
    """Return verdict, suspects and next steps alone, for the top of a terminal."""
    return _text([*_verdict(report, language), *_suspects(report, language)])


def _text(lines: Iterable[str]) -> str:
    """Join lines; what foreign text holds of breaks and control characters is made visible."""
    return "\n".join(map(visible, lines)).rstrip() + "\n"


def _platform(report: Report) -> Iterator[str]:
    summary = report.summary
    yield from (TITLE, "")
    yield "Summary"
    yield f"Job ID: {summary.job_id}"
    yield f"Analysis Time: {summary.analysis_time}"
    yield f"Print ID: {summary.print_id}"
    yield from ("", "Function Call Statistics")
    for entry in report.functions:
        yield from _function(entry)


def _function(entry: FunctionStatistics) -> Iterator[str]:
    yield f"{entry.function} {entry.location}".rstrip()
    yield f"  Call Count: {entry.call_count}"
    yield f"  Sources: {', '.join(entry.sources)}"
    yield ""


def _own(report: Report, language: Language) -> Iterator[str]:
    if not report.functions:
        yield ""
    yield from _verdict(report, language)
    yield from _suspects(report, language)
    if report.side_by_side:
        yield from _sides(report.side_by_side, language)
    yield from _section(
        "groups", language, (f"{g.ranks} ({g.count}): {g.label}" for g in report.groups)
    )
    yield from _section("missing", language, (_missing(m, language) for m in report.missing))
    if report.nccl:
        yield from _sentences("nccl", language, _nccl(report.nccl))
    yield from _sentences("cautions", language, report.cautions)
    yield from _sentences("next", language, report.next_steps)


def _nccl(status: NcclStatus) -> Iterable[Text]:
    """Return the line, then what is seen, what that does not mean, and what to do next.

    The conditions of an answer, where there is none, are left to the page.
    """
    seen = () if status.kind == Kind.UNAVAILABLE else status.seen
    return dict.fromkeys((status.text, *seen, *status.not_meant, *status.next_steps))


def _verdict(report: Report, language: Language) -> Iterator[str]:
    verdict = report.verdict
    yield tell("analysis-title-verdict").of(language)
    yield verdict.text.of(language)
    confidence = tell(f"analysis-confidence-{verdict.confidence}")
    progress = tell(f"analysis-progress-{verdict.progress}")
    facts = tell(
        "analysis-verdict", confidence=confidence, progress=progress, pattern=verdict.pattern
    )
    yield f"  {facts.of(language)}"
    yield ""


def _suspects(report: Report, language: Language) -> Iterator[str]:
    yield tell("analysis-title-suspects").of(language)
    if not report.suspects:
        yield f"  {tell('analysis-title-nobody').of(language)}"
    for suspect in report.suspects:
        node = f" ({suspect.node})" if suspect.node else ""
        yield f"rank {suspect.rank}{node}  {suspect.score:.2f}"
        yield from (f"  - {reason.of(language)}" for reason in suspect.reasons)
    yield ""


def _sides(pair: SideBySide, language: Language) -> Iterator[str]:
    """Yield two columns; the calls that both ranks share are only counted."""
    yield tell("analysis-title-side_by_side").of(language)
    left, right = (_column(side, pair.shared) for side in (pair.suspect, pair.control))
    width = min(_WIDTH, max(map(len, left)))
    if pair.shared:
        yield f"  {tell('analysis-side-shared', count=pair.shared).of(language)}"
    for one, other in zip_longest(left, right, fillvalue=""):
        yield f"  {_cut(one).ljust(width)} | {_cut(other)}".rstrip()
    yield ""


def _column(side: Side, shared: int) -> list[str]:
    node = f" ({side.node})" if side.node else ""
    return [f"rank {side.rank}{node}", *map(visible, side.frames[shared:])]


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _missing(lost: MissingRank, language: Language) -> str:
    rank = f"rank {lost.rank}" if lost.rank is not None else ""
    who = " ".join(part for part in (rank, lost.node or "") if part)
    return f"{who or '-'}: {lost.why(language)}"


def _sentences(title: str, language: Language, texts: Iterable[Text]) -> Iterator[str]:
    yield from _section(title, language, (text.of(language) for text in texts))


def _section(title: str, language: Language, lines: Iterable[str]) -> Iterator[str]:
    shown = [f"  - {line}" for line in lines]
    if shown:
        yield tell(f"analysis-title-{title}").of(language)
        yield from shown
        yield ""
