"""The control API and its client."""

import json
import threading
from typing import Any

import httpx
import pytest

from rankscope.errors import NotFound, UnusableInput
from sandbox.feishu.client import EmulatorTimeout
from sandbox.feishu.testing import RunningEmulator, running_emulator
from tests.sandbox.feishu.conftest import Api
from tests.sandbox.feishu.samples import RICH, card


def test_ids_follow_from_names(running: RunningEmulator) -> None:
    with running_emulator() as other:
        assert other.chat_id == running.chat_id


def test_a_card_reads_as_text_and_names_its_buttons(api: Api, running: RunningEmulator) -> None:
    api.sent(running.chat_id, "interactive", RICH)

    [message] = running.client.messages(running.chat_id)

    assert message.content == RICH
    assert message.buttons == ("重新采集", "结束作业")
    assert "3 | gpu-03 | 卡住" in message.text
    assert running.client.chats()[0].last_text == "[卡住] job-42 rank 3"


def test_waiting_finds_the_message(running: RunningEmulator) -> None:
    later = threading.Timer(0.2, lambda: running.client.say(running.chat_id, "now"))
    later.start()

    found = running.client.wait_for(lambda message: "now" in message.text)

    later.join()
    assert found.sender.name == "王伟"


def test_waiting_in_vain_says_what_was_there(running: RunningEmulator) -> None:
    running.client.say(running.chat_id, "something else")

    with pytest.raises(EmulatorTimeout, match="something else"):
        running.client.wait_for(lambda message: False, 0.1, chat_id=running.chat_id)


def test_mistakes_are_explained(running: RunningEmulator) -> None:
    with pytest.raises(NotFound, match="no chat"):
        running.client.messages("oc_unknown")
    with pytest.raises(NotFound, match="nobody called"):
        running.client.say(running.chat_id, "hi", user="Nobody")
    with pytest.raises(UnusableInput, match="empty"):
        running.client.say(running.chat_id, "  ")
    answer = httpx.post(f"{running.url}/emulator/api/faults", content=b"{", trust_env=False)
    assert answer.status_code == 400


def test_a_card_can_be_checked_without_sending_it(running: RunningEmulator) -> None:
    found = running.client.check_card(card({"tag": "note"}, {"tag": "hr", "colour": "red"}))

    assert [problem["code"] for problem in found] == [200861, 200621]
    assert running.client.check_card(RICH) == []


def test_reset_empties_the_chats(running: RunningEmulator) -> None:
    running.client.say(running.chat_id, "hi")
    running.client.add_chat("临时")

    running.client.reset()

    assert running.client.messages(running.chat_id) == []
    assert [chat.name for chat in running.client.chats()] == ["训练值班群", "王伟", "林娜"]


def test_the_stream_tells_what_happens(running: RunningEmulator) -> None:
    url = f"{running.url}/emulator/api/stream"
    with httpx.stream("GET", url, trust_env=False, timeout=10) as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": welcome"
        running.client.say(running.chat_id, "hi <b>")
        event = next(line for line in lines if line == "event: message")
        data: dict[str, Any] = json.loads(next(lines).removeprefix("data: "))

    assert event
    assert data["text"] == "@rankscope hi <b>"
    assert "hi &lt;b&gt;" in data["html"]
    assert data["chat_id"] == running.chat_id


def test_pages_of_other_sites_are_refused(running: RunningEmulator) -> None:
    url = f"{running.url}/emulator/api/reset"

    foreign = httpx.post(url, headers={"Origin": "https://evil.example"}, trust_env=False)
    own = httpx.post(url, headers={"Origin": running.url}, trust_env=False)

    assert (foreign.status_code, own.status_code) == (400, 200)
