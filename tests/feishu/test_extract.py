import json
from typing import Any

import pytest

from rankscope.feishu.extract import click_of, message_of
from rankscope.feishu.inbound import Envelope
from rankscope.model.chat import ChatMessage, Click
from tests.feishu.payloads import BOT, BOT_MENTION, Json, click, mention, message


def _envelope(payload: Json) -> Envelope:
    header = payload["header"]
    return Envelope(
        event_id=header["event_id"], event_type=header["event_type"], event=payload["event"]
    )


def _said(payload: Json, bot: str = BOT) -> ChatMessage | None:
    return message_of(_envelope(payload), bot)


def _text(payload: Json) -> str | None:
    said = _said(payload)
    return said.text if said else None


def test_a_group_message_that_mentions_the_bot() -> None:
    assert _said(message()) == ChatMessage(
        message_id="om_1",
        chat_id="oc_1",
        chat_type="group",
        sender="ou_person",
        text="/capture jo-1",
    )


def test_a_group_message_without_a_mention_is_not_for_us() -> None:
    assert _said(message("/capture jo-1", mentions=())) is None


def test_a_mention_of_another_bot_is_not_for_us() -> None:
    other = mention("@_user_1", "ou_other", "other bot")
    assert _said(message(mentions=(other,))) is None


def test_any_bot_counts_until_we_know_who_we_are() -> None:
    other = mention("@_user_1", "ou_other", "some bot")
    person = mention("@_user_1", "ou_x", "Tom", "user")
    assert _said(message(mentions=(other,)), bot="") is not None
    assert _said(message(mentions=(person,)), bot="") is None


def test_a_direct_message_needs_no_mention() -> None:
    assert _text(message("/help", mentions=(), chat_type="p2p")) == "/help"


def test_messages_of_bots_are_ignored() -> None:
    assert _said(message(sender_type="bot")) is None
    assert _said(message(sender_type="app", chat_type="p2p")) is None


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("@_user_1 /capture jo-1", "/capture jo-1"),
        ("/capture @_user_1 jo-1", "/capture jo-1"),
        ("@_user_1\u00a0/capture\u00a0jo-1", "/capture jo-1"),
        ("@_user_1 ／capture\u3000jo-1", "/capture jo-1"),
        ("@_user_1", ""),
        ("@_user_1 hello @_user_2 and @_user_11", "hello @Tom and @Ann"),
        ("@_user_1 @_all wake up", "@_all wake up"),
        ("@_user_1 path／x", "path／x"),
    ],
)
def test_mentions_and_odd_spaces_are_resolved(raw: str, text: str) -> None:
    others = (
        mention("@_user_2", "ou_2", "Tom", "user"),
        mention("@_user_11", "ou_11", "Ann", "user"),
    )
    assert _text(message(raw, mentions=(BOT_MENTION, *others))) == text


def _with(content: Any, kind: str) -> Json:
    payload = message()
    payload["event"]["message"] |= {"message_type": kind, "content": content}
    return payload


def test_a_rich_text_is_read_as_its_words() -> None:
    nodes = [{"tag": "at", "user_id": "@_user_1"}, {"tag": "text", "text": " /capture jo-1"}]
    assert _text(_with(json.dumps({"title": "", "content": [nodes]}), "post")) == "/capture jo-1"


@pytest.mark.parametrize(
    ("content", "kind"),
    [("", "text"), ("not json", "text"), ("[]", "text"), ('{"image_key": "img"}', "image")],
)
def test_messages_without_words_are_ignored(content: str, kind: str) -> None:
    assert _said(_with(content, kind)) is None


@pytest.mark.parametrize("event", [{}, {"message": None}, {"message": {"message_id": 1}}])
def test_a_message_event_of_another_form_is_ignored(event: Json) -> None:
    assert message_of(Envelope(event_id="e", event=event), BOT) is None


def test_a_click() -> None:
    value = {"act": "recapture", "incident": "in-1", "rev": 3}
    assert click_of(_envelope(click(value, "ev-1"))) == Click(
        event_id="ev-1",
        action="recapture",
        incident_id="in-1",
        revision=3,
        operator="ou_person",
        message_id="om_card",
        chat_id="oc_1",
    )


@pytest.mark.parametrize(
    "value",
    [
        None,
        "recapture",
        '{"act": "recapture", "incident": "in-1", "rev": 3}',
        {},
        {"act": "recapture", "incident": "in-1"},
        {"act": "recapture", "incident": "in-1", "rev": "3"},
        {"act": 1, "incident": "in-1", "rev": 3},
        ["recapture"],
    ],
)
def test_a_value_that_is_not_ours_is_no_click(value: object) -> None:
    assert click_of(_envelope(click(value))) is None
