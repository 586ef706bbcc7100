"""Every state of an incident as people see it: how it comes about, its card, its buttons.

The lists are those of the model: a new state, kind or event without a scenario fails here.
"""

from collections.abc import Callable
from typing import Any

import pytest

from rankscope.model.capture import Trigger
from rankscope.model.state import Incident, IncidentState, JobState
from rankscope.settings import Settings
from tests.scenarios.rig import OPERATOR, Rig, acts_of, open_id, title_of

Scenario = Callable[[Rig], Incident]
OPEN_ACTS = {"ack", "silence", "recapture"}


def opened(rig: Rig) -> Incident:
    """An alert of a job that no agent sees."""
    rig.tell("job.hang", "jo-unseen")
    return rig.incident()


def capturing(rig: Rig) -> Incident:
    rig.tell("job.hang")
    return rig.incident()


def reported(rig: Rig) -> Incident:
    rig.tell("job.hang")
    rig.work_all()
    return rig.incident()


def failed(rig: Rig) -> Incident:
    rig.agent.status = 500
    rig.tell("job.hang")
    rig.work_all()
    return rig.incident()


def resumed(rig: Rig) -> Incident:
    rig.reported()
    rig.tell("job.resumed")
    return rig.incident()


def ended(rig: Rig) -> Incident:
    rig.reported()
    rig.tell("job.succeeded", state="succeeded")
    return rig.incident()


def closed(rig: Rig) -> Incident:
    """A job that was looked at hangs: its alert gets a card of its own."""
    incident = rig.reported(kind=Trigger.MANUAL)
    rig.tell("job.hang")
    return rig.state.load(Incident, incident.id)


STATES: dict[IncidentState, tuple[Scenario, str, set[str]]] = {
    IncidentState.OPEN: (opened, "nothing captured yet", OPEN_ACTS),
    IncidentState.CAPTURING: (capturing, "capturing", OPEN_ACTS - {"recapture"}),
    IncidentState.REPORTED: (reported, "Training hung", {*OPEN_ACTS, "bundle"}),
    IncidentState.FAILED: (failed, "Capture failed", OPEN_ACTS),
    IncidentState.RESUMED: (resumed, "Training resumed", {"bundle"}),
    IncidentState.ENDED: (ended, "Job succeeded", {"bundle"}),
    IncidentState.CLOSED: (closed, "Closed", {"bundle"}),
}


@pytest.mark.parametrize("state", IncidentState)
def test_a_state_is_shown_with_its_buttons(rig: Rig, state: IncidentState) -> None:
    scenario, title, acts = STATES[state]

    incident = scenario(rig)

    assert incident.state is state
    [card] = [one for one in rig.cards() if f"revision {incident.revision}" in one.text][:1]
    assert title in title_of(card.content)
    assert set(acts_of(card.content)) == acts


@pytest.mark.parametrize("state", [state for state in IncidentState if state.is_final])
def test_a_final_state_has_its_place_in_the_thread(rig: Rig, state: IncidentState) -> None:
    incident = STATES[state][0](rig)

    below = [one for one in rig.messages() if one.root_id == rig.cards()[0].message_id]
    assert incident.state.is_final
    assert below or state is IncidentState.CLOSED


# What people add to a state.


def acknowledged(rig: Rig) -> str:
    rig.press("b_ack")
    return "[in hand]"


def silenced(rig: Rig) -> str:
    rig.press("s_silence", option="2h")
    return "[silenced]"


@pytest.mark.parametrize("care", [acknowledged, silenced])
def test_who_cares_for_an_incident_is_shown(rig: Rig, care: Callable[[Rig], str]) -> None:
    rig.reported()
    prefix = care(rig)
    rig.work()

    assert rig.title().startswith(prefix)
    assert open_id(OPERATOR) in str(rig.card().content)


def test_a_silence_that_is_over_is_not_shown(rig: Rig) -> None:
    rig.reported()
    silenced(rig)
    rig.work()
    rig.press("s_silence", option="off")
    rig.work()

    assert not rig.title().startswith("[")


# Kinds and events.


def told(rig: Rig, kind: str, **more: Any) -> Incident:
    rig.tell(kind, **more)
    return rig.incident()


def typed(rig: Rig, text: str) -> Incident:
    rig.tell("job.running", state="running")
    rig.ask(text)
    return rig.incident()


def again(rig: Rig) -> Incident:
    rig.reported()
    rig.press("b_recapture")
    rig.work()
    return rig.incident()


KINDS: dict[Trigger, tuple[Scenario, str]] = {
    Trigger.HANG: (capturing, "Training may be hung"),
    Trigger.SLOW: (lambda rig: told(rig, "job.slow"), "slow"),
    Trigger.FAILED: (lambda rig: told(rig, "job.worker_failed"), "worker"),
    Trigger.MANUAL: (lambda rig: typed(rig, "/capture jo-1"), "Capturing"),
    Trigger.RECAPTURE: (again, "capturing"),
}


@pytest.mark.parametrize("kind", Trigger)
def test_a_kind_of_incident_is_named_in_its_title(rig: Rig, kind: Trigger) -> None:
    scenario, title = KINDS[kind]
    scenario(rig)

    assert title in rig.title()


NEWS = {
    "failed": ("job.failed", "Job failed"),
    "worker_failed": ("job.worker_failed", "A worker of the job failed"),
    "timeout": ("job.timeout", "Job timed out"),
    "preempted": ("job.preempted", "Job pre-empted"),
    "stalled_restarts": ("job.stalled_restarts", "Restarted again and again"),
    "env_check_failed": ("job.env_check_failed", "Environment check"),
    "node_unhealthy": ("node.unhealthy", "A node of the job is unhealthy"),
}


def test_every_event_that_gets_a_card_has_a_scenario(rig: Rig) -> None:
    assert set(NEWS) == set(Settings.model_fields["state_cards"].default)


@pytest.mark.parametrize("name", NEWS)
def test_an_event_gets_a_card_of_its_own(rig: Rig, name: str) -> None:
    kind, title = NEWS[name]
    rig.tell(kind, message="it happened")

    assert title in rig.title()
    assert "it happened" in rig.card().text
    assert not [one for one in rig.queued() if one.startswith("capture-")]


ENDS = {JobState.SUCCEEDED: "job.succeeded", JobState.STOPPED: "job.stopped"}


@pytest.mark.parametrize("end", ENDS)
def test_the_end_of_a_job_ends_its_incident(rig: Rig, end: JobState) -> None:
    rig.reported()
    rig.tell(ENDS[end], state=end.value)

    assert rig.incident().state is IncidentState.ENDED
