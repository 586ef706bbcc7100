from dataclasses import replace

from rankscope.incidents import acknowledge, handle_event
from rankscope.model.state import IncidentState
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.incidents.conftest import event, the_incident


def test_who_acknowledges_first_stays(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    before = the_incident(running)
    for who in ("ou_li", "ou_wang"):
        acknowledge(running, before.id, who)

    incident = the_incident(running)
    assert (incident.acked_by, incident.last_action) == ("ou_li", "ack")
    assert incident.acked_at >= before.opened_at
    assert (incident.state, incident.revision) == (before.state, before.revision)


def test_what_is_over_needs_nobody(running: State, settings: Settings) -> None:
    handle_event(running, event("job.hang"), settings)
    incident = replace(the_incident(running), state=IncidentState.ENDED)
    running.save(incident)

    assert acknowledge(running, incident.id, "ou_li") == incident
