"""Alerts go where the routes file says, with mentions, captures and escalation as it says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rankscope.incidents import Ask, acknowledge, end_silences, handle_event, silence_job
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.escalation import Escalation, due_stage, took_step
from rankscope.incidents.language import choose_language
from rankscope.incidents.outbox import show_card
from rankscope.incidents.routes import routed as routed_ask
from rankscope.model.capture import Trigger
from rankscope.model.event import EventJob
from rankscope.model.state import CaptureRecord, Incident, IncidentState, Job, Outgoing
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.conftest import MakeSettings
from tests.incidents.conftest import CHAT, event, the_incident

ROUTES = """
[people]
lisi = "ou_li"

[oncall.infra]
people = ["ou_wang"]
start = 2026-06-01

[[routes]]
name = "llm"
labels = { team = "llm" }
kinds = ["hang"]
chats = ["oc_llm", "oc_infra"]
mention = ["owner", "oncall:infra"]
auto_capture = false
language = "en"
escalate = [{ after_min = 10, people = ["owner"] }, { after_min = 20, people = ["ou_wang"] }]

[[routes]]
name = "slow"
labels = { team = "llm" }
kinds = ["slow"]
chats = ["oc_slow"]
auto_capture = true
"""
JOB = EventJob(id="jo-1", owner="lisi")
LABELS = {"team": "llm"}


@pytest.fixture
def routed(make_settings: MakeSettings, tmp_path: Path) -> Settings:
    file = tmp_path / "routes.toml"
    file.write_text(ROUTES, encoding="utf-8")
    return make_settings(feishu_chat_id=CHAT, routes_file=file)


def told(state: State) -> dict[str, Outgoing]:
    return {one.id.removeprefix("in-"): one for one in state.all(Outgoing)}


def the_escalation(state: State) -> Escalation:
    [escalation] = state.all(Escalation)
    return escalation


def later(state: State, minutes: float) -> None:
    """Let the escalation have begun so many minutes earlier."""
    one = the_escalation(state)
    state.save(replace(one, since=one.since - 60 * minutes))


def hang(state: State, settings: Settings, minute: float = 0, **fields: object) -> Incident:
    values: dict[str, Any] = {"job": JOB, "labels": LABELS}
    handle_event(state, event("job.hang", minute, **(values | fields)), settings)
    return the_incident(state)


def test_each_chat_of_the_route_gets_the_card(running: State, routed: Settings) -> None:
    incident = hang(running, routed)

    cards = [one for one in running.all(Outgoing) if one.incident_id]
    assert {one.id: one.chat_id for one in cards} == {
        incident.id: "oc_llm",
        f"{incident.id}@oc_infra": "oc_infra",
    }
    assert incident.route == "llm"
    assert len({one.uuid for one in cards}) == 2

    show_card(running, incident)
    assert {one.wanted for one in running.all(Outgoing) if one.incident_id} == {2}


def test_a_route_decides_about_the_capture(running: State, routed: Settings) -> None:
    hang(running, routed)
    assert list(running.all(CaptureRecord)) == []


def test_a_route_may_capture_what_the_settings_do_not(running: State, routed: Settings) -> None:
    handle_event(running, event("job.slow", job=JOB, labels=LABELS), routed)

    assert len(list(running.all(CaptureRecord))) == 1


def test_people_are_mentioned_once_in_the_first_chat_only(running: State, routed: Settings) -> None:
    incident = hang(running, routed)
    hang(running, routed, 5)

    mentions = [one for one in running.all(Outgoing) if "mention" in one.id]
    [mention] = mentions
    assert mention.id == f"{incident.id}:mention-hang"
    assert mention.reply_to == f"outgoing:{incident.id}"
    text = str(mention.content["text"])
    assert text.startswith('<at user_id="ou_li"></at> <at user_id="ou_wang"></at> Please look')
    assert "<at" not in mention.fallback


@pytest.mark.parametrize("owner", ['ou_x"></at><at user_id="all', "all", "<at>"])
def test_no_event_can_mention_anybody_else(running: State, routed: Settings, owner: str) -> None:
    job = EventJob(id="jo-1", owner=owner)
    hang(running, routed, job=job, message='<at user_id="all"></at>')

    texts = [str(one.content.get("text", "")) for one in running.all(Outgoing)]
    assert not [text for text in texts if text.replace('<at user_id="ou_wang">', "").count("<at")]


def test_labels_are_those_of_all_events_of_the_job(running: State, routed: Settings) -> None:
    handle_event(running, event("job.running", job=JOB, labels=LABELS), routed)
    incident = hang(running, routed, 1, labels={"step": "7"})

    assert incident.route == "llm"


def test_without_a_fitting_route_the_chat_of_the_settings_hears(
    running: State, routed: Settings
) -> None:
    incident = hang(running, routed, labels={})

    assert (incident.chat_id, incident.route, incident.copies) == (CHAT, "", ())
    assert len(list(running.all(CaptureRecord))) == 1


def test_a_graver_alert_adds_the_chats_of_its_route(running: State, routed: Settings) -> None:
    handle_event(running, event("job.slow", job=JOB, labels=LABELS), routed)
    incident = hang(running, routed, 1)

    assert (incident.chat_id, incident.copies) == ("oc_slow", ("oc_llm", "oc_infra"))
    assert incident.route == "slow, llm"
    assert f"{incident.id}@oc_llm:mention-hang" in {one.id for one in running.all(Outgoing)}


def test_what_is_said_below_the_card_is_said_in_every_chat_in_its_language(
    running: State, routed: Settings
) -> None:
    choose_language(running, "oc_infra", "zh")
    incident = hang(running, routed)
    handle_event(running, event("job.resumed", 1), routed)

    said = {one.chat_id: one for one in running.all(Outgoing) if one.id.endswith(":resumed")}
    assert said["oc_llm"].reply_to == f"outgoing:{incident.id}"
    assert said["oc_infra"].reply_to == f"outgoing:{incident.id}@oc_infra"
    assert str(said["oc_llm"].content["text"]).startswith("Training makes progress")
    assert "训练" in str(said["oc_infra"].content["text"])


def test_a_failed_job_is_heard_where_its_route_says(running: State, routed: Settings) -> None:
    assert routed.routes_file is not None
    text = ROUTES.replace('kinds = ["hang"]', 'kinds = ["hang", "failed"]')
    routed.routes_file.write_text(text, encoding="utf-8")
    handle_event(running, event("job.failed", job=JOB, labels=LABELS), routed)

    incident = the_incident(running)
    assert (incident.chat_id, incident.copies) == ("oc_llm", ("oc_infra",))
    mention = running.load(Outgoing, f"{incident.id}:mention-failed")
    assert '<at user_id="ou_li"></at>' in str(mention.content["text"])
    later(running, 60)
    assert due_stage(running, the_escalation(running)) is None


def test_trouble_of_a_job_that_goes_on_is_routed_too(running: State, routed: Settings) -> None:
    assert routed.routes_file is not None
    text = ROUTES.replace('kinds = ["hang"]', 'kinds = ["failed"]')
    routed.routes_file.write_text(text, encoding="utf-8")
    handle_event(running, event("job.preempted", job=JOB, labels=LABELS), routed)

    assert the_incident(running).chat_id == "oc_llm"


# Escalation.


def test_steps_are_due_one_after_the_other_and_once(running: State, routed: Settings) -> None:
    hang(running, routed)
    assert due_stage(running, the_escalation(running)) is None
    later(running, 11)
    first = due_stage(running, the_escalation(running))
    assert first is not None
    assert first.people == ("owner",)
    for _ in range(2):
        took_step(running, replace(the_escalation(running), done=0))
    assert the_escalation(running).done == 1
    assert due_stage(running, the_escalation(running)) is None
    later(running, 10)
    second = due_stage(running, the_escalation(running))
    assert second is not None
    assert second.people == ("ou_wang",)
    took_step(running, the_escalation(running))
    later(running, 1000)
    assert due_stage(running, the_escalation(running)) is None


@pytest.mark.parametrize("how", ["ack", "silence", "resume", "end"])
def test_it_ends_when_somebody_answers_or_the_trouble_is_over(
    running: State, routed: Settings, how: str
) -> None:
    incident = hang(running, routed)
    if how == "ack":
        acknowledge(running, incident.id, "ou_li")
    elif how == "silence":
        silence_job(running, "jo-1", "ou_li", 60)
    else:
        kind = "job.resumed" if how == "resume" else "job.failed"
        handle_event(running, event(kind, 1), routed)
    later(running, 60)

    assert due_stage(running, the_escalation(running)) is None
    assert the_escalation(running).over


def test_a_repeated_alert_does_not_begin_anew(running: State, routed: Settings) -> None:
    hang(running, routed)
    later(running, 15)
    before = the_escalation(running)
    hang(running, routed, 5)

    assert the_escalation(running) == before


def test_a_relapse_begins_anew(running: State, routed: Settings) -> None:
    hang(running, routed)
    handle_event(running, event("job.resumed", 1), routed)
    due_stage(running, the_escalation(running))
    hang(running, routed, 2)

    assert (the_escalation(running).turn, the_escalation(running).over) == ("hang-1", False)


def test_the_end_of_a_silence_with_muted_alerts_begins_anew(
    running: State, routed: Settings
) -> None:
    hang(running, routed)
    silence = silence_job(running, "jo-1", "ou_li", 60)
    hang(running, routed, 1)
    later(running, 60)
    due_stage(running, the_escalation(running))
    assert the_escalation(running).over
    known = running.load(type(silence), "jo-1")
    running.save(replace(known, until=1.0))
    end_silences(running, routed)

    assert not the_escalation(running).over
    assert due_stage(running, the_escalation(running)) is None


MUTE = """
[[routes]]
name = "drill"
labels = { team = "llm" }
kinds = ["hang", "failed", "manual"]
mute = true
reason = "a drill"
"""


@pytest.fixture
def muted(make_settings: MakeSettings, tmp_path: Path) -> Settings:
    file = tmp_path / "mute.toml"
    file.write_text(MUTE, encoding="utf-8")
    return make_settings(feishu_chat_id=CHAT, routes_file=file)


@pytest.mark.parametrize("kind", ["job.hang", "job.failed", "job.worker_failed"])
def test_a_muted_alert_is_heard_by_nobody_and_on_record(
    running: State, muted: Settings, kind: str
) -> None:
    for _ in range(2):
        handle_event(running, event(kind, 1, job=JOB, labels=LABELS), muted)

    assert not list(running.all(Incident))
    assert not list(running.all(Outgoing))
    assert not list(running.all(CaptureRecord))
    [deed] = deeds_of(running, "jo-1")
    assert (deed.who, deed.what) == ("drill (a drill)", "mute")


def test_what_a_person_asks_for_is_not_muted(running: State, muted: Settings) -> None:
    ask = Ask(job_id="jo-1", trigger=Trigger.MANUAL, request_id="m", chat_id="oc_asked", by="ou_li")
    running.save(Job(id="jo-1", labels=LABELS))
    assert routed_ask(running, ask, muted) == ask


def test_a_muted_job_ends_the_incident_that_it_has(
    running: State, muted: Settings, routed: Settings
) -> None:
    hang(running, routed)
    handle_event(running, event("job.failed", 2, job=JOB, labels=LABELS), muted)

    assert the_incident(running).state is IncidentState.ENDED
