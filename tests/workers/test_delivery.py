"""The outbox is sent: once, in place, and in a simpler form when Feishu refuses it."""

from dataclasses import replace
from typing import Any

import pytest
from rq import Retry

from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable, MessageGone
from rankscope.incidents.outbox import reply_in_thread, reply_to_message, show_card
from rankscope.model.state import Incident, IncidentState, Outgoing
from rankscope.model.text import Text
from tests.workers.conftest import CHAT, FakeFeishu, an_incident
from workers.context import Context
from workers.delivery import deliver

DONE = Text("完成", "done")


@pytest.fixture
def incident(context: Context) -> Incident:
    incident = an_incident()
    context.state.save(incident)
    show_card(context.state, incident)
    return incident


def entry(context: Context, entry_id: str = "in-1") -> Outgoing:
    return context.state.load(Outgoing, entry_id)


def test_a_card_is_created_once_and_then_patched(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    deliver(context, "in-1")
    deliver(context, "in-1")
    show_card(context.state, incident)
    deliver(context, "in-1")

    create, patch = feishu.calls
    assert (create.what, create.target, create.uuid) == ("create", CHAT, entry(context).uuid)
    assert (patch.what, patch.target) == ("patch", "om_1")
    assert entry(context).sent == entry(context).wanted == 2


def test_updates_that_came_meanwhile_are_one_update(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    for _ in range(5):
        show_card(context.state, incident)
    for _ in range(6):
        deliver(context, "in-1")

    assert feishu.made == ["create"]


def test_an_update_wanted_while_sending_is_sent_too(
    context: Context, feishu: FakeFeishu, incident: Incident, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = feishu.create

    def create_slowly(*arguments: Any) -> str:
        show_card(context.state, incident)
        return create(*arguments)

    monkeypatch.setattr(feishu, "create", create_slowly)
    deliver(context, "in-1")

    assert feishu.made == ["create", "patch"]


def test_two_workers_never_send_one_card_at_once(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    with context.state.lock("deliver:in-1"):
        assert deliver(context, "in-1") is None

    assert feishu.calls == []
    deliver(context, "in-1")
    assert feishu.made == ["create"]


def test_trouble_is_tried_again_with_the_same_uuid_when_feishu_asks(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.failures = [FeishuUnavailable("busy", retry_after_s=7.2)]

    retry = deliver(context, "in-1")
    deliver(context, "in-1")

    assert isinstance(retry, Retry)
    assert retry.intervals[0] == 8
    assert feishu.calls[0].uuid == feishu.calls[1].uuid
    assert (entry(context).attempts, entry(context).error) == (2, "")


def test_a_refused_card_becomes_a_note(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.failures = [CardRejected("too large")]
    deliver(context, "in-1")
    show_card(context.state, incident)
    feishu.failures = [CardRejected("too large")]
    deliver(context, "in-1")

    first, note, patch, patched_note = feishu.calls
    assert first.uuid != note.uuid
    assert note.msg_type == "interactive"
    assert [patch.what, patched_note.what] == ["patch", "patch"]
    assert patched_note.target == "om_2"


def test_an_alert_ends_as_text_rather_than_not_at_all(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.failures = [CardRejected("no"), CardRejected("no")]
    deliver(context, "in-1")
    show_card(context.state, incident)
    deliver(context, "in-1")

    text = feishu.calls[-1]
    assert text.msg_type == "text"
    assert "jo-1" in str(text.content["text"])
    assert len(feishu.calls) == 3  # The same revision is not said twice.

    context.state.save(replace(incident, state=IncidentState.RESUMED, revision=2))
    show_card(context.state, incident)
    deliver(context, "in-1")
    assert feishu.calls[-1].msg_type == "interactive"


def test_a_recalled_card_is_replaced_by_a_new_one(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    deliver(context, "in-1")
    show_card(context.state, incident)
    feishu.failures = [MessageGone("recalled")]
    deliver(context, "in-1")

    assert feishu.made == ["create", "patch", "create", "patch"]
    assert feishu.calls[2].uuid != feishu.calls[0].uuid
    assert entry(context).message_id == "om_3"


def test_a_refusal_is_kept_for_the_reconciler(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    feishu.failures = [FeishuRejected("not in the chat", "Add the bot.", 230002)]

    assert deliver(context, "in-1") is None
    assert "Add the bot" in entry(context).error
    assert entry(context).sent < entry(context).wanted


def test_without_a_chat_the_setting_is_named(context: Context, feishu: FakeFeishu) -> None:
    context.settings = context.settings.model_copy(update={"feishu_chat_id": ""})
    incident = an_incident(chat_id="")
    context.state.save(incident)
    show_card(context.state, incident)

    deliver(context, "in-1")

    assert "RANKSCOPE_FEISHU_CHAT_ID" in entry(context).error
    assert feishu.calls == []


def test_a_reply_waits_for_its_card(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    reply_in_thread(context.state, incident, "reported", DONE, "en")

    assert isinstance(deliver(context, "in-1:reported"), Retry)
    deliver(context, "in-1")
    deliver(context, "in-1:reported")

    reply = feishu.calls[1]
    assert (reply.what, reply.target, reply.in_thread) == ("reply", "om_1", True)
    assert reply.content == {"text": "done"}


def test_a_reply_is_sent_once(context: Context, feishu: FakeFeishu) -> None:
    reply_to_message(context.state, "om_ask", "", DONE, "en")
    for _ in range(2):
        deliver(context, "command:om_ask")

    [reply] = feishu.calls
    assert (reply.target, reply.in_thread) == ("om_ask", False)


def test_a_reply_below_a_recalled_card_goes_to_the_chat(
    context: Context, feishu: FakeFeishu, incident: Incident
) -> None:
    deliver(context, "in-1")
    reply_in_thread(context.state, incident, "reported", DONE, "en")
    feishu.failures = [MessageGone("recalled")]
    deliver(context, "in-1:reported")

    assert feishu.made == ["create", "reply", "create"]


def test_a_refused_reply_card_is_said_as_text(context: Context, feishu: FakeFeishu) -> None:
    card = Outgoing(
        id="x", uuid="u", reply_to="om_1", msg_type="interactive", content={}, fallback="moved"
    )
    context.state.save(card)
    feishu.failures = [CardRejected("no")]
    deliver(context, "x")

    assert feishu.calls[1].content == {"text": "moved"}
    assert feishu.calls[1].uuid != "u"


def test_nothing_is_sent_for_what_has_expired(context: Context, feishu: FakeFeishu) -> None:
    incident = an_incident()
    show_card(context.state, incident)

    deliver(context, "in-1")
    deliver(context, "unknown")

    assert feishu.calls == []
    assert entry(context).sent == 1
