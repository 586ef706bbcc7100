"""The card in the answer to a click, so that everybody sees at once what was pressed.

It is a courtesy: whatever keeps it from being drawn in time costs nothing, since the outbox brings
the card all the same. It is left out when Feishu has refused the full card before, as the person
would be shown an error for it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import structlog
from redis.exceptions import RedisError

from rankscope.cards import IncidentView, incident_card
from rankscope.errors import RankscopeError
from rankscope.incidents.foreseen import foreseen
from rankscope.incidents.holding import HOLD_S, hold
from rankscope.incidents.language import language_of
from rankscope.incidents.outbox import cards_of
from rankscope.incidents.showing import incident_view
from rankscope.model.chat import Click
from rankscope.model.state import Incident, Outgoing
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State

DRAWN_WITHIN_S = HOLD_S / 2
"""From the hold on; the rest is for the answer's way to Feishu."""

_log = structlog.get_logger()

Json = dict[str, Any]
Draw = Callable[[], Json | None]


@dataclass(frozen=True)
class _Sources:
    """Where a card's facts come from; the store is opened when there is a report to read."""

    state: State
    settings: Settings

    @cached_property
    def captures(self) -> CaptureStore:
        return CaptureStore.of(self.settings)


@dataclass(frozen=True, slots=True)
class ClickedCard:
    """A card that is held for an answer; until is when it must be drawn, of time.monotonic."""

    state: State
    settings: Settings
    incident: Incident
    click: Click
    until: float

    def draw(self) -> Json | None:
        """Return what the card will show after the click, None when that is not known in time."""
        return self._drawn(lambda view: foreseen(view, self.click, time.time()))

    def draw_now(self) -> Json | None:
        """Return what the card shows without the click, None when that is not known in time."""
        return self._drawn(lambda view: view)

    def _drawn(self, look: Callable[[IncidentView], IncidentView | None]) -> Json | None:
        try:
            view = look(incident_view(_Sources(self.state, self.settings), self.incident))
            if view is None:
                return None
            language = language_of(self.state, self.incident, self.settings.language)
            card = incident_card(view, language)
        except (RankscopeError, RedisError) as error:
            _log.warning("no card in the answer", error=str(error))
            return None
        return card if time.monotonic() < self.until else None


def held_card(
    state: State, settings: Settings, incident: Incident, click: Click
) -> ClickedCard | None:
    """Hold the card that was clicked, None when its answer had better be a toast alone."""
    until = time.monotonic() + DRAWN_WITHIN_S
    for card_id, chat_id in cards_of(incident).items():
        entry = state.find(Outgoing, card_id)
        if entry is not None and entry.message_id == click.message_id:
            if entry.is_simpler or not hold(state, card_id):
                return None
            here = replace(incident, chat_id=entry.chat_id or chat_id)
            return ClickedCard(state, settings, here, click, until)
    return None
