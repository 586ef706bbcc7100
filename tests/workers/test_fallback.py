"""What Feishu does not take is heard all the same: elsewhere, or by operators."""

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rankscope.feishu.errors import FeishuRejected, FeishuUnavailable, MessageGone
from rankscope.incidents.outbox import reply_in_thread, reply_to_message, show_card
from rankscope.model.state import Incident, IncidentState, Outgoing
from rankscope.model.text import Text
from tests.feishu.scripted import Scripted, scripted_feishu
from tests.workers.conftest import CHAT, FakeFeishu, an_incident
from workers.context import Context
from workers.delivery import TROUBLE_S, deliver

GONE = FeishuRejected("chat dissolved", "Choose another chat.", 232009)
TAKEN: tuple[int, object, dict[str, str]] = (200, {"code": 0, "msg": "success"}, {})
ROUTED = "oc_routed"


@pytest.fixture
def hook() -> Iterator[Scripted]:
    with scripted_feishu() as script:
        script.answers = [TAKEN] * 9
        yield script


@pytest.fixture
def hooked(context: Context, hook: Scripted) -> Context:
    changes = {
        "feishu_domain": hook.url,
        "fallback_webhook_url": f"{hook.url}/open-apis/bot/v2/hook/secret-token",
        "fallback_webhook_secret": "s",
        "feishu_chat_id": CHAT,
    }
    fields = context.settings.model_dump() | changes
    context.settings = type(context.settings)(_env_file=None, **fields)
    return context


def shown(context: Context, **changes: object) -> Incident:
    incident = an_incident(**changes)
    context.state.save(incident)
    show_card(context.state, incident)
    return incident


def entry(context: Context, entry_id: str = "in-1") -> Outgoing:
    return context.state.load(Outgoing, entry_id)


def posted(hook: Scripted) -> list[Any]:
    return [one.json for one in hook.asked]


def alarms(context: Context) -> dict[str, str]:
    found = [one for one in context.state.all(Outgoing) if one.id.startswith("alarm:")]
    return {one.chat_id: str(one.content["text"]) for one in found}


def test_a_card_whose_chat_is_gone_moves_to_the_default_chat(
    context: Context, feishu: FakeFeishu
) -> None:
    shown(context, chat_id=ROUTED)
    feishu.failures = [GONE]
    deliver(context, "in-1")

    assert [(call.what, call.target) for call in feishu.calls] == [
        ("create", ROUTED),
        ("create", CHAT),
    ]
    assert feishu.calls[0].uuid != feishu.calls[1].uuid
    assert (entry(context).chat_id, entry(context).error) == (CHAT, "")
    assert "oc_routed cannot be sent. chat dissolved" in alarms(context)[CHAT]


def test_a_card_that_was_there_begins_anew_when_its_chat_is_gone(
    context: Context, feishu: FakeFeishu
) -> None:
    incident = shown(context, chat_id=ROUTED)
    deliver(context, "in-1")
    show_card(context.state, incident)
    feishu.failures = [GONE]
    deliver(context, "in-1")

    assert [call.what for call in feishu.calls] == ["create", "patch", "create"]
    assert entry(context).sent == entry(context).wanted == 2


def test_operators_hear_once_of_a_chat(context: Context, feishu: FakeFeishu) -> None:
    context.settings = context.settings.model_copy(update={"admins": "ou_boss, oc_ops"})
    for number in range(3):
        shown(context, id=f"in-{number}")
        feishu.failures = [GONE]
        deliver(context, f"in-{number}")

    assert set(alarms(context)) == {"ou_boss", "oc_ops"}
    assert len([one for one in context.state.all(Outgoing) if one.id.startswith("alarm:")]) == 2


def test_an_alarm_that_fails_raises_none(context: Context, feishu: FakeFeishu) -> None:
    context.settings = context.settings.model_copy(update={"admins": "ou_boss"})
    shown(context)
    feishu.failures = [GONE]
    deliver(context, "in-1")
    [alarm] = [one for one in context.state.all(Outgoing) if one.id.startswith("alarm:")]
    feishu.failures = [FeishuRejected("left", "", 230013)]
    deliver(context, alarm.id)

    assert len([one for one in context.state.all(Outgoing) if one.id.startswith("alarm:")]) == 1


def test_the_custom_bot_hears_once_in_each_phase(
    hooked: Context, feishu: FakeFeishu, hook: Scripted
) -> None:
    incident = shown(hooked, message="no step")
    for state in (IncidentState.CAPTURING, IncidentState.REPORTED, IncidentState.RESUMED):
        hooked.state.save(replace(incident, state=state))
        for _ in range(2):
            show_card(hooked.state, incident)
            feishu.failures = [FeishuRejected("bot off", "", 230006)]
            deliver(hooked, "in-1")

    cards = [one for one in posted(hook) if one["msg_type"] == "interactive"]
    assert len(cards) == 3
    assert all("jo-1" in json.dumps(card) and card["sign"] for card in cards)
    assert "Training resumed" in json.dumps(cards[-1])
    assert len([one for one in posted(hook) if one["msg_type"] == "text"]) == 1  # the alarm


def test_a_card_the_custom_bot_refuses_is_said_as_text(
    hooked: Context, feishu: FakeFeishu, hook: Scripted
) -> None:
    hook.answers.insert(0, (200, {"code": 9499, "msg": "Bad Request"}, {}))
    shown(hooked)
    feishu.failures = [FeishuRejected("bot off", "", 230006)]
    deliver(hooked, "in-1")

    card, text, _alarm = posted(hook)
    assert (card["msg_type"], text["msg_type"]) == ("interactive", "text")
    assert "jo-1" in text["content"]["text"]


def test_when_the_custom_bot_fails_too_it_is_tried_again(
    hooked: Context, feishu: FakeFeishu, hook: Scripted
) -> None:
    hook.answers.insert(0, (500, {}, {}))
    shown(hooked)
    for _ in range(2):
        feishu.failures = [FeishuRejected("bot off", "", 230006)]
        deliver(hooked, "in-1")

    assert [one["msg_type"] for one in posted(hook)] == ["interactive", "text", "interactive"]


def test_short_trouble_is_waited_out_and_long_trouble_is_not(
    hooked: Context, feishu: FakeFeishu, hook: Scripted
) -> None:
    shown(hooked)
    feishu.failures = [FeishuUnavailable("busy")]
    deliver(hooked, "in-1")
    assert posted(hook) == []

    long_ago = time.time() - TROUBLE_S - 1
    hooked.state.save(replace(entry(hooked), troubled_at=long_ago))
    feishu.failures = [FeishuUnavailable("busy")]
    deliver(hooked, "in-1")
    assert [one["msg_type"] for one in posted(hook)] == ["interactive"]

    deliver(hooked, "in-1")
    assert entry(hooked).error == ""


def test_trouble_of_an_old_card_counts_from_when_it_began(
    hooked: Context, feishu: FakeFeishu, hook: Scripted
) -> None:
    incident = shown(hooked)
    deliver(hooked, "in-1")
    hooked.state.save(replace(entry(hooked), first_attempt_at=1.0))
    show_card(hooked.state, incident)
    feishu.failures = [FeishuUnavailable("busy")]
    deliver(hooked, "in-1")

    assert posted(hook) == []
    assert time.time() - entry(hooked).troubled_at < TROUBLE_S


def test_a_mention_of_somebody_unknown_is_left_out(context: Context, feishu: FakeFeishu) -> None:
    incident = shown(context)
    deliver(context, "in-1")
    reply_in_thread(context.state, incident, "mention", Text("看", "look"), "en")
    reply = entry(context, "in-1:mention")
    at = '<at user_id="ou_left"></at> look'
    context.state.save(replace(reply, content={"text": at}, fallback="look"))
    feishu.failures = [FeishuRejected("invalid", "", 230001)]
    deliver(context, "in-1:mention")

    assert [call.content["text"] for call in feishu.calls[1:]] == [at, "look"]
    assert alarms(context) == {}


def test_an_answer_to_a_recalled_command_is_not_tried_for_ever(
    context: Context, feishu: FakeFeishu
) -> None:
    reply_to_message(context.state, "om_ask", "", Text("好", "ok"), "en")
    feishu.failures = [MessageGone("recalled", "", 230110)]
    deliver(context, "command:om_ask")

    assert entry(context, "command:om_ask").sent == 1
    assert alarms(context) == {}
