"""The card of an incident, for every state it can be in."""

from rankscope.cards.budget import Card, Limits, fit
from rankscope.cards.diagnosis import diagnosis_rows
from rankscope.cards.escape import mention, plain
from rankscope.cards.facts import (
    NAME_CHARS,
    can_compare,
    captured_at,
    comparable,
    findings,
    is_busy,
    job_label,
)
from rankscope.cards.headline import headline
from rankscope.cards.render import render
from rankscope.cards.slowness import says_it_all, slow_rows
from rankscope.cards.view import IncidentView
from rankscope.chat.durations import CHOICES, OFF
from rankscope.model.capture import Trigger
from rankscope.model.text import Language

KNOWN_ACTIONS = frozenset(
    {"capture", "recapture", "compare", "ack", "silence", "unsilence", "bundle"}
)
TITLE_CHARS = 80
ALERTED = frozenset({Trigger.HANG, Trigger.SLOW})


def incident_card(view: IncidentView, language: Language) -> Card:
    """Return an incident's card (JSON 2.0): under 30 KB and 200 elements whatever the job's size.

    Raises ConfigurationError when a user's own template does not give JSON.
    """

    def draw(limits: Limits) -> Card:
        return render("incident.json.j2", language, **_context(view, limits, language))

    return fit(draw)


def _context(view: IncidentView, limits: Limits, language: Language) -> dict[str, object]:
    incident, head = view.incident, headline(view)
    return {
        "incident": incident,
        "capture": view.capture,
        "title": plain(head.title.of(language), TITLE_CHARS),
        "colour": head.colour,
        "tags": [(tag.text.of(language), tag.colour) for tag in head.tags],
        "job": job_label(view),
        "job_id": plain(incident.job_id, NAME_CHARS),
        "found": view.report and findings(view.report, limits, language),
        "message": "" if says_it_all(view) else plain(incident.message, limits.chars),
        "error": plain(view.capture.error, limits.chars) if view.capture else "",
        "busy": is_busy(view),
        "diagnosis": diagnosis_rows(view, limits, language),
        "slow": slow_rows(view, limits, language),
        "no_source": view.lacks_hang_source and incident.kind not in ALERTED,
        "comparable": can_compare(view),
        "link": view.report_link,
        "choices": [(one, captured_at(one) or one) for one in comparable(view)],
        "durations": (*CHOICES, OFF) if view.silence else CHOICES,
        "acked_by": mention(incident.acked_by),
        "acked_at": _ms(incident.acked_at),
        "silenced_by": mention(view.silence.by) if view.silence else "",
        "silence": view.silence,
        "silent_until": _ms(view.silence.until) if view.silence else 0,
        "picture": plain(view.picture, NAME_CHARS) if view.report else "",
        "acted_at": _ms(incident.last_at),
        "actor": mention(incident.last_actor),
        "action": incident.last_action if incident.last_action in KNOWN_ACTIONS else "other",
    }


def _ms(seconds: float) -> int:
    """Return a moment in the milliseconds that Feishu's `local_datetime` takes; 0 stays 0."""
    return int(seconds * 1000)
