"""Compares two stored captures and shows the result below the incident's card."""

from dataclasses import dataclass

import structlog

from rankscope.analysis import compare as compare_captures
from rankscope.capture_file import parse_capture
from rankscope.cards import comparison_card
from rankscope.chat.replies import comparison_failed, comparison_finished
from rankscope.errors import NotFound, UnusableInput
from rankscope.incidents.language import language_of
from rankscope.incidents.outbox import send_once, uuid_of
from rankscope.model.report import Comparison
from rankscope.model.state import Incident, Outgoing
from workers.context import Context, is_last_try
from workers.showing import link_to

_log = structlog.get_logger()


def compare(context: Context, incident_id: str, pair: tuple[str, str], answer_to: str = "") -> None:
    """Compare two captures, in the incident's thread or below the message that asked for it.

    A failure is told there too.
    """
    incident = context.state.load(Incident, incident_id)
    asked = _Asked(incident, pair, answer_to)
    try:
        comparison = _comparison(context, *pair)
    except (NotFound, UnusableInput) as error:
        _say_failed(context, asked, error)
        return
    except Exception as error:
        if is_last_try():
            _say_failed(context, asked, error)
        raise
    _show(context, asked, comparison)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Which captures are compared, and where the answer goes."""

    incident: Incident
    pair: tuple[str, str]
    answer_to: str

    def reply(self, what: str, content: dict[str, object], fallback: str = "") -> Outgoing:
        """Return a reply, sent once per `what`; a card has a text to fall back to."""
        parent = self.answer_to or f"outgoing:{self.incident.id}"
        entry_id = f"{parent if self.answer_to else self.incident.id}:{what}"
        return Outgoing(
            id=entry_id,
            uuid=uuid_of(entry_id),
            chat_id="" if self.answer_to else self.incident.chat_id,
            reply_to=parent,
            msg_type="interactive" if fallback else "text",
            content=content,
            fallback=fallback,
        )


def _say_failed(context: Context, asked: _Asked, error: Exception) -> None:
    text = comparison_failed(asked.incident.job_id, str(error))
    said = text.of(language_of(context.state, asked.incident, context.settings.language))
    send_once(context.state, asked.reply(f"compare-failed-{asked.pair[1]}", {"text": said}))
    _log.warning("comparison failed", reason=str(error))


def _comparison(context: Context, before: str, after: str) -> Comparison:
    try:
        return context.captures.read_comparison(before, after)
    except NotFound:
        old, new = (parse_capture(context.captures.read_capture(one)) for one in (before, after))
        comparison = compare_captures(old, new)
        context.captures.write_comparison(comparison)
        return comparison


def _show(context: Context, asked: _Asked, comparison: Comparison) -> None:
    incident = asked.incident
    report = context.captures.find_report(comparison.after)
    suspects = {suspect.rank for suspect in report.suspects} if report else set()
    language = language_of(context.state, incident, context.settings.language)
    link = link_to(context, comparison.after)
    what = f"compare-{comparison.before}-{comparison.after}-r{incident.revision}"
    reply = asked.reply(
        what,
        comparison_card(comparison, incident, link, language, suspects),
        comparison_finished(comparison).of(language),
    )
    send_once(context.state, reply)
