"""What is sent when Feishu refuses a card: the same news as plain text; no alert is lost."""

from rankscope.cards.budget import Limits
from rankscope.cards.diagnosis import diagnosis_rows
from rankscope.cards.facts import findings, job_label
from rankscope.cards.headline import headline
from rankscope.cards.slowness import slow_rows
from rankscope.cards.view import IncidentView
from rankscope.model.text import Language
from rankscope.text import say

LIMITS = Limits(chars=160, reasons=1)


def fallback_text(view: IncidentView, language: Language) -> str:
    """Return an incident as a short plain text; nothing in it is a tag or can mention anybody."""
    return "\n".join(_unmentionable(line) for line in _lines(view, language) if line)


def _unmentionable(line: str) -> str:
    """Replace what Feishu's text messages read as a tag, such as `<at user_id="all">`."""
    return line.replace("<", "‹").replace(">", "›")


def _lines(view: IncidentView, language: Language) -> list[str]:
    lines = [f"{headline(view).title.of(language)} · {job_label(view)}"]
    rows = diagnosis_rows(view, LIMITS, language)
    if rows and rows.first:
        lines.append(say("card-fallback-error", text=rows.first.text).of(language))
        lines.append(rows.first.advice)
    slow = slow_rows(view, LIMITS, language)
    if slow:
        lines.append(slow.lines[0].replace("**", ""))
    if view.report:
        found = findings(view.report, LIMITS, language)
        lines.append(found.verdict)
        for suspect in found.suspects:
            reason = suspect.reasons[0] if suspect.reasons else suspect.where
            line = say("card-fallback-suspect", rank=suspect.rank, node=suspect.node, reason=reason)
            lines.append(line.of(language))
    if view.report or view.capture:
        lines.append(say("card-photo-short").of(language))
    if view.report_link:
        lines.append(say("card-fallback-link", link=view.report_link).of(language))
    return lines
