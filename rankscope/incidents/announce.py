"""An incident that an alert has just opened or joined, made heard; harmless to repeat."""

from rankscope.incidents.requests import Ask
from rankscope.incidents.routes import follow_route
from rankscope.incidents.subscriptions import tell_opened
from rankscope.model.state import Incident
from rankscope.settings import Settings
from rankscope.store.state import State


def announce(state: State, incident: Incident, ask: Ask, settings: Settings) -> None:
    """Mention whom the routes name, begin the escalation, and tell subscribers."""
    follow_route(state, incident, ask, settings)
    tell_opened(state, incident, settings)
