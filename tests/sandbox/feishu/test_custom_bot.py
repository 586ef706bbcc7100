"""The emulated custom bot takes what rankscope's own client sends, and refuses what is not so."""

from collections.abc import Iterator

import httpx
import pytest

from rankscope.cards import note_card
from rankscope.feishu.errors import CardRejected, FeishuRejected
from rankscope.feishu.webhook import GroupWebhook
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator


@pytest.fixture
def emulator() -> Iterator[RunningEmulator]:
    with running_emulator(Options(hook_secret="s")) as running:
        yield running


def hook(emulator: RunningEmulator, secret: str = "s", token: str = "") -> GroupWebhook:
    path = f"/open-apis/bot/v2/hook/{token or emulator.chat_id}"
    return GroupWebhook(f"{emulator.url}{path}", secret, emulator.emulator.clock.now)


def test_texts_and_cards_are_posted(emulator: RunningEmulator) -> None:
    hook(emulator).send("text", {"text": "你好"})
    hook(emulator).send("interactive", note_card("标题", "正文", "orange", "zh"))

    text, card = emulator.client.messages(emulator.chat_id)
    assert text.text == "你好"
    assert "标题" in card.text


@pytest.mark.parametrize(
    ("secret", "token", "error"),
    [("wrong", "", FeishuRejected), ("", "", FeishuRejected), ("s", "oc_nobody", CardRejected)],
)
def test_a_wrong_signature_or_token_is_refused(
    emulator: RunningEmulator, secret: str, token: str, error: type
) -> None:
    with pytest.raises(error):
        hook(emulator, secret, token).send("text", {"text": "hi"})

    assert emulator.client.messages(emulator.chat_id) == []


def test_a_card_that_is_not_valid_is_refused(emulator: RunningEmulator) -> None:
    with pytest.raises(CardRejected):
        hook(emulator).send("interactive", {"schema": "2.0", "elements": [{"tag": "nonsense"}]})


def test_an_old_signature_is_refused(emulator: RunningEmulator) -> None:
    old = hook(emulator)
    path = f"{emulator.url}/open-apis/bot/v2/hook/{emulator.chat_id}"
    stale = GroupWebhook(path, "s", lambda: emulator.emulator.clock.now() - 3700)
    with pytest.raises(FeishuRejected):
        stale.send("text", {"text": "hi"})
    old.send("text", {"text": "hi"})


def test_what_is_no_json_is_a_bad_request(emulator: RunningEmulator) -> None:
    path = f"{emulator.url}/open-apis/bot/v2/hook/{emulator.chat_id}"
    answer = httpx.post(path, content=b"nonsense", trust_env=False)

    assert answer.json()["code"] == 9499
