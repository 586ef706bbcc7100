"""Compares two stored captures and shows the result below the incident's card."""

import structlog

from rankscope.analysis import compare as compare_captures
from rankscope.capture_file import parse_capture
from rankscope.cards import comparison_card
from rankscope.chat.replies import comparison_failed, comparison_finished
from rankscope.errors import NotFound, UnusableInput
from rankscope.incidents.outbox import reply_in_thread, send_once, uuid_of
from rankscope.model.report import Comparison
from rankscope.model.state import Incident, Outgoing
from workers.context import Context, is_last_try
from workers.showing import link_to

_log = structlog.get_logger()


def compare(context: Context, incident_id: str, before: str, after: str) -> None:
    """Compare two captures of an incident; a failure is told in its thread."""
    incident = context.state.load(Incident, incident_id)
    try:
        comparison = _comparison(context, before, after)
    except (NotFound, UnusableInput) as error:
        _say_failed(context, incident, after, error)
        return
    except Exception as error:
        if is_last_try():
            _say_failed(context, incident, after, error)
        raise
    _show(context, incident, comparison)


def _say_failed(context: Context, incident: Incident, after: str, error: Exception) -> None:
    text = comparison_failed(incident.job_id, str(error))
    what = f"compare-failed-{after}"
    reply_in_thread(context.state, incident, what, text, context.settings.language)
    _log.warning("comparison failed", reason=str(error))


def _comparison(context: Context, before: str, after: str) -> Comparison:
    try:
        return context.captures.read_comparison(before, after)
    except NotFound:
        old, new = (parse_capture(context.captures.read_capture(one)) for one in (before, after))
        comparison = compare_captures(old, new)
        context.captures.write_comparison(comparison)
        return comparison


def _show(context: Context, incident: Incident, comparison: Comparison) -> None:
    report = context.captures.find_report(comparison.after)
    suspects = {suspect.rank for suspect in report.suspects} if report else set()
    link = link_to(context, comparison.after)
    card = comparison_card(comparison, incident, link, context.settings.language, suspects)
    entry_id = f"{incident.id}:compare-{comparison.before}-{comparison.after}-r{incident.revision}"
    reply = Outgoing(
        id=entry_id,
        uuid=uuid_of(entry_id),
        chat_id=incident.chat_id,
        reply_to=f"outgoing:{incident.id}",
        msg_type="interactive",
        content=card,
        fallback=comparison_finished(comparison).of(context.settings.language),
    )
    send_once(context.state, reply)
