"""What the emulator pushes, opened by the SDK's own dispatcher."""

import json
import time
from typing import Any

import pytest

from rankscope.errors import NotFound, UnusableInput
from sandbox.feishu.pressing import Press
from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.conftest import Api, SdkBot
from tests.sandbox.feishu.samples import RICH, button, card, dumped, markdown, plain
from tests.sandbox.feishu.waiting import until

REPLY = {"msg_type": "text", "content": json.dumps({"text": "answer"})}


def received(bot: SdkBot, count: int = 1) -> Any:
    until(lambda: len(bot.messages) >= count)
    return bot.messages[count - 1]


def test_the_bot_is_challenged_until_it_answers(running: RunningEmulator, bot: SdkBot) -> None:
    until(lambda: running.client.subscription()["state"] == "verified")

    assert running.client.subscription()["text"] == "机器人已连接"


def test_a_bot_that_is_not_there_yet_is_reported(running: RunningEmulator) -> None:
    running.client.point_at("http://127.0.0.1:9/events")
    until(lambda: "ConnectError" in str(running.client.subscription()["detail"]))

    assert running.client.subscription()["state"] == "checking"


def test_a_mention_in_a_group_reaches_the_bot(running: RunningEmulator, bot: SdkBot) -> None:
    said = running.client.say(running.chat_id, "/capture job-42", user="林娜")

    event = received(bot)

    message = event.event.message
    assert event.header.event_type == "im.message.receive_v1"
    assert event.header.token == "the-token"
    assert json.loads(message.content)["text"] == "@_user_1 /capture job-42"
    assert message.mentions[0].key == "@_user_1"
    assert message.mentions[0].id.open_id == running.emulator.world.bot.open_id
    assert (message.message_id, message.chat_type) == (said.message_id, "group")
    assert message.parent_id is None
    sender = running.emulator.world.person("林娜")
    assert event.event.sender.sender_id.open_id == sender.open_id
    assert json.loads(bot.bodies[-1]).keys() == {"encrypt"}


def test_a_typed_mention_counts(running: RunningEmulator, bot: SdkBot) -> None:
    running.client.say(running.chat_id, "hey @rankscope /help", mention_bot=False)

    assert json.loads(received(bot).event.message.content)["text"] == "hey @_user_1 /help"


def test_without_a_mention_a_group_is_private(running: RunningEmulator, bot: SdkBot) -> None:
    running.client.say(running.chat_id, "lunch?", mention_bot=False)
    running.client.say(running.chat_id, "/help")

    assert "/help" in received(bot).event.message.content
    assert len(running.client.deliveries()) == 1


def test_a_private_message_needs_no_mention(running: RunningEmulator, bot: SdkBot) -> None:
    private = next(chat for chat in running.client.chats() if chat.chat_type == "p2p")

    running.client.say(private.chat_id, "/help", user=private.name)

    message = received(bot).event.message
    assert (message.chat_type, json.loads(message.content)["text"]) == ("p2p", "/help")
    assert message.mentions is None


def test_nobody_writes_into_another_persons_chat(running: RunningEmulator) -> None:
    private = next(chat for chat in running.client.chats() if chat.name == "林娜")

    with pytest.raises(UnusableInput, match="not in the chat"):
        running.client.say(private.chat_id, "hi", user="王伟")


def test_a_reply_names_what_it_replies_to(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    root = api.sent(running.chat_id, "interactive", RICH)
    api.call("POST", f"/im/v1/messages/{root}/reply", json={**REPLY, "reply_in_thread": True})
    thread = running.client.messages(running.chat_id)[1]

    running.client.say(running.chat_id, "why?", parent_id=thread.message_id)

    message = received(bot).event.message
    assert (message.root_id, message.parent_id) == (root, root)
    assert message.thread_id == thread.thread_id


def test_an_unanswered_event_comes_again(running: RunningEmulator, bot: SdkBot) -> None:
    until(lambda: running.client.subscription()["state"] == "verified")
    bot.raw_answers.append((500, b"{}"))

    running.client.say(running.chat_id, "/help")

    received(bot, 2)
    ids = {event.header.event_id for event in bot.messages}
    assert len(ids) == 1
    until(lambda: running.client.deliveries()[0].state == "delivered")
    [delivery] = running.client.deliveries()
    assert [attempt["outcome"] for attempt in delivery.attempts] == ["500", "200"]


def test_an_event_is_given_up_in_the_end(running: RunningEmulator, bot: SdkBot) -> None:
    until(lambda: running.client.subscription()["state"] == "verified")
    bot.raw_answers.extend([(500, b"{}")] * 3)

    running.client.say(running.chat_id, "/help")

    until(lambda: running.client.deliveries()[0].state == "given up")
    assert len(running.client.deliveries()[0].attempts) == 3


def test_every_event_can_come_twice(running: RunningEmulator, bot: SdkBot) -> None:
    running.emulator.deliveries.twice = True
    try:
        running.client.say(running.chat_id, "/help")
        received(bot, 2)
    finally:
        running.emulator.deliveries.twice = False

    assert len({event.header.event_id for event in bot.messages}) == 1


def test_the_bot_hears_that_it_joined(running: RunningEmulator, bot: SdkBot) -> None:
    chat = running.client.add_chat("新群", bot_inside=False)

    running.client.move_bot(chat.chat_id, inside=True)

    assert received(bot).event.chat_id == chat.chat_id


def test_a_click_carries_value_operator_and_place(
    api: Api, running: RunningEmulator, bot: SdkBot
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)

    result = running.client.press(message_id, "recapture", user="林娜")

    [click] = bot.clicks
    assert (result.toast, result.card, result.error) == (None, None, None)
    assert click.event.action.value == {"act": "重新采集"}
    assert click.event.action.tag == "button"
    assert click.event.operator.open_id == running.emulator.world.person("林娜").open_id
    assert click.event.context.open_message_id == message_id
    assert click.event.token.startswith("c-")
    # Microseconds, as the platform sends them for clicks.
    assert len(click.header.create_time) == 16


def test_a_button_is_found_by_its_text(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)

    running.client.press(message_id, "结束作业")

    assert bot.clicks[0].event.action.value == {"act": "结束作业"}


def test_a_toast_and_a_new_card_are_shown(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    new = card(markdown("采集中…"))
    toast = {"type": "success", "content": "已开始"}
    bot.click_answer = lambda _: {"toast": toast, "card": {"type": "raw", "data": new}}
    message_id = api.sent(running.chat_id, "interactive", RICH)

    result = running.client.press(message_id, "recapture")

    assert (result.toast, result.card) == (toast, new)
    [message] = running.client.messages(running.chat_id)
    assert message.content == new
    assert message.updated


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ((500, b"{}"), 200671),
        ((302, b"{}"), 200671),
        ((200, b"no json"), 200672),
        ((200, b"[]"), 200672),
        ((200, b'{"toast": {"type": "loud"}}'), 200672),
        ((200, b'{"card": {"type": "template", "data": {}}}'), 200673),
        ((200, dumped({"card": {"type": "raw", "data": card({"tag": "note"})}}).encode()), 200673),
        ((200, b'{"card": {"type": "raw", "data": {"elements": []}}}'), 200830),
    ],
)
def test_a_bad_answer_is_told_to_the_person(
    api: Api, running: RunningEmulator, bot: SdkBot, answer: tuple[int, bytes], code: int
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    bot.raw_answers.append(answer)

    result = running.client.press(message_id, "recapture")

    assert result.error is not None
    assert result.error.code == code
    assert str(code) in result.error.text["zh"]
    assert running.client.messages(running.chat_id)[0].revisions == 0


@pytest.mark.parametrize(
    ("url", "code"),
    [("", 200340), ("http://127.0.0.1:9/x", 200342), ("http://no-such-host.invalid/x", 200343)],
)
def test_a_bot_out_of_reach_is_told_to_the_person(
    api: Api, running: RunningEmulator, url: str, code: int
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    running.client.point_at(url)

    result = running.client.press(message_id, "recapture")

    assert result.error is not None
    assert result.error.code == code


def test_a_slow_bot_is_told_to_the_person(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    until(lambda: running.client.subscription()["state"] == "verified")
    bot.before_answer = lambda: time.sleep(3.3)

    result = running.client.press(message_id, "recapture")

    assert result.error is not None
    assert result.error.code == 200341


def test_what_cannot_be_pressed(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    twice = card(button("same"), button("same"))
    message_id = api.sent(running.chat_id, "interactive", RICH)
    ambiguous = api.sent(running.chat_id, "interactive", twice)

    with pytest.raises(UnusableInput, match="disabled"):
        running.client.press(message_id, "对比")
    with pytest.raises(NotFound, match="It has: recapture"):
        running.client.press(message_id, "nothing")
    with pytest.raises(UnusableInput, match="2 buttons"):
        running.client.press(ambiguous, "same")
    running.client.press(ambiguous, "body.elements[1]")
    api.call("DELETE", f"/im/v1/messages/{message_id}")
    with pytest.raises(UnusableInput, match="recalled"):
        running.client.press(message_id, "recapture")
    assert len(bot.clicks) == 1


def test_a_form_sends_what_was_filled_in(api: Api, running: RunningEmulator, bot: SdkBot) -> None:
    submit = {"tag": "button", "name": "ok", "text": plain("提交"), "form_action_type": "submit"}
    form = {"tag": "form", "name": "f", "elements": [{"tag": "input", "name": "note"}, submit]}
    message_id = api.sent(running.chat_id, "interactive", card(form))

    running.client.act(message_id, Press(button="提交", form_value={"note": "hi"}))

    action = bot.clicks[0].event.action
    assert (action.name, action.form_value) == ("ok", {"note": "hi"})


def test_a_card_is_locked_while_a_click_is_answered(
    api: Api, running: RunningEmulator, bot: SdkBot
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    early: list[Any] = []

    def answer(click: Any) -> Any:
        early.append(api.patch(message_id, RICH).json())
        body = {"token": click.event.token, "card": RICH}
        early.append(api.call("POST", "/interactive/v1/card/update", json=body).json())
        return {}

    bot.click_answer = answer
    running.client.press(message_id, "recapture")

    assert "card action is lock" in early[0]["msg"]
    assert early[1]["code"] == 11310
    assert api.patch(message_id, RICH).json()["code"] == 0


def test_a_clicked_card_can_be_replaced_twice_later(
    api: Api, running: RunningEmulator, bot: SdkBot
) -> None:
    message_id = api.sent(running.chat_id, "interactive", RICH)
    running.client.press(message_id, "recapture")
    token = bot.clicks[0].event.token

    def update(content: Any) -> int:
        body = {"token": token, "card": content}
        return int(api.call("POST", "/interactive/v1/card/update", json=body).json()["code"])

    bad = [update(card({"tag": "note"})), update("text"), update({"elements": []})]
    codes = [update(card(markdown(str(number)))) for number in range(3)]

    assert bad == [11311, 10002, 200830]
    assert codes == [0, 0, 300040]
    assert running.client.messages(running.chat_id)[0].text == "Title\n1"
