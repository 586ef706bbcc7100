"""From state to card JSON; pure."""

from rankscope.cards.comparison import comparison_card
from rankscope.cards.escape import escape_markdown
from rankscope.cards.fallback import fallback_text
from rankscope.cards.incident import incident_card
from rankscope.cards.note import note_card
from rankscope.cards.view import IncidentView

__all__ = [
    "IncidentView",
    "comparison_card",
    "escape_markdown",
    "fallback_text",
    "incident_card",
    "note_card",
]
