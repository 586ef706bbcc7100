"""Steps of an escalation: each once, to the right people, and on record."""

from dataclasses import replace
from pathlib import Path

import pytest

from rankscope.feishu.errors import FeishuRejected, FeishuUnavailable
from rankscope.incidents import acknowledge, handle_event
from rankscope.incidents.audit import deeds_of
from rankscope.incidents.escalation import Escalation
from rankscope.model.event import Event, EventJob
from rankscope.model.state import Incident, Outgoing
from rankscope.queueing import Queue, rq_queue
from tests.workers.conftest import FakeFeishu
from workers.context import Context
from workers.delivery import deliver
from workers.escalating import escalate, submit_due

ROUTES = """
[people]
lisi = "ou_li"

[[routes]]
name = "all"
chats = ["oc_team"]
escalate = [
    { after_min = 5, people = ["owner", "ou_wang"] },
    { after_min = 15, people = ["ou_boss"] },
]
"""


@pytest.fixture
def incident(context: Context, tmp_path: Path) -> Incident:
    file = tmp_path / "routes.toml"
    file.write_text(ROUTES, encoding="utf-8")
    context.settings = context.settings.model_copy(update={"routes_file": file})
    job = EventJob(id="jo-1", owner="lisi")
    handle_event(context.state, Event(id="e1", type="job.hang", job=job), context.settings)
    [incident] = context.state.all(Incident)
    deliver(context, incident.id)
    return incident


def after(context: Context, minutes: float) -> None:
    """Let the alert have come so many minutes ago, and the minute's tick come."""
    [one] = context.state.all(Escalation)
    context.state.save(replace(one, since=one.since - 60 * minutes))
    submit_due(context)


def submitted(context: Context) -> list[str]:
    return [one for one in rq_queue(context.redis, Queue.CHAT).get_job_ids() if "escal" in one]


def buzzed(feishu: FakeFeishu) -> list[tuple[str, list[str]]]:
    calls = [call for call in feishu.calls if call.what == "buzz"]
    return [(call.target, list(call.content["people"])) for call in calls]  # type: ignore[call-overload]


def said(context: Context) -> list[str]:
    found = [one for one in context.state.all(Outgoing) if ":escalate-" in one.id]
    return [str(one.content["text"]) for one in sorted(found, key=lambda one: one.id)]


def test_nothing_is_submitted_before_its_time(context: Context, incident: Incident) -> None:
    after(context, 4)
    assert submitted(context) == []
    after(context, 1)
    assert len(submitted(context)) == 1


def test_each_step_is_taken_once(context: Context, feishu: FakeFeishu, incident: Incident) -> None:
    after(context, 6)
    for _ in range(3):
        escalate(context, incident.id)
    after(context, 10)
    for _ in range(3):
        escalate(context, incident.id)

    assert buzzed(feishu) == [("om_1", ["ou_li", "ou_wang"]), ("om_1", ["ou_boss"])]
    first, second = said(context)
    assert first.startswith('<at user_id="ou_li"></at> <at user_id="ou_wang"></at> Nobody has')
    assert "5 minutes: escalation step 1" in first
    assert "15 minutes: escalation step 2" in second
    deeds = [(deed.who, deed.what, deed.outcome) for deed in deeds_of(context.state, "jo-1")]
    assert deeds == [("rankscope", "escalate", "done")] * 2


def test_an_acknowledgement_meanwhile_ends_it(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    after(context, 6)
    acknowledge(context.state, incident.id, "ou_li")
    escalate(context, incident.id)

    assert buzzed(feishu) == []
    assert said(context) == []


def test_it_is_put_off_while_feishu_cannot_be_reached(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    after(context, 6)
    feishu.failures = [FeishuUnavailable("busy")]
    escalate(context, incident.id)
    assert said(context) == []
    escalate(context, incident.id)

    assert len(buzzed(feishu)) == 2
    assert len(said(context)) == 1


def test_a_refusal_is_said_and_the_mention_remains(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    after(context, 6)
    feishu.failures = [FeishuRejected("no scope", "Grant it.", 230027)]
    escalate(context, incident.id)

    [text] = said(context)
    assert '<at user_id="ou_li"></at>' in text
    assert "was not sent: no scope Grant it." in text
    assert [deed.outcome for deed in deeds_of(context.state, "jo-1")] == ["not-possible"]


def test_people_whom_feishu_does_not_know_are_counted(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.strangers = {"ou_wang"}
    after(context, 6)
    escalate(context, incident.id)

    assert "1 of these people are unknown" in said(context)[0]


def test_a_step_that_means_nobody_says_so(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    file = context.settings.routes_file
    assert file is not None
    file.write_text(ROUTES.replace("lisi", "zhao"), encoding="utf-8")
    [one] = context.state.all(Escalation)
    stages = (replace(one.stages[0], people=("owner",)),)
    context.state.save(replace(one, stages=stages))
    after(context, 6)
    escalate(context, incident.id)

    assert buzzed(feishu) == []
    assert "names nobody for this step" in said(context)[0]


def test_without_a_card_it_waits(context: Context, feishu: FakeFeishu, incident: Incident) -> None:
    card = context.state.load(Outgoing, incident.id)
    context.state.save(replace(card, message_id=""))
    after(context, 6)
    escalate(context, incident.id)
    context.state.save(card)
    escalate(context, incident.id)

    assert len(buzzed(feishu)) == 1
