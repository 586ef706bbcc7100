"""Somebody takes care of an incident; it stops nothing, but everybody sees it."""

import time
from dataclasses import replace

from rankscope.incidents.outbox import show_card
from rankscope.incidents.silence import acted
from rankscope.model.state import Incident
from rankscope.store.state import State

ACKNOWLEDGE = "ack"


def acknowledge(state: State, incident_id: str, by: str) -> Incident:
    """Record who takes care of an incident and show it; who did so first stays."""

    def edit(incident: Incident) -> Incident:
        if incident.acked_by or incident.state.is_final:
            return incident
        return replace(acted(incident, by, ACKNOWLEDGE), acked_by=by, acked_at=time.time())

    incident = state.change(Incident, incident_id, edit)
    show_card(state, incident)
    return incident
