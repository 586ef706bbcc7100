"""A group's custom bot: signed messages, and only to the open platform."""

import base64
import hashlib
import hmac

import pytest

from rankscope.errors import ConfigurationError
from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable
from rankscope.feishu.webhook import GroupWebhook, check_url, group_webhook, signed
from tests.conftest import MakeSettings
from tests.feishu.scripted import Scripted

FEISHU = "https://open.feishu.cn"
PATH = "/open-apis/bot/v2/hook/"
CARD = {"schema": "2.0", "body": {"elements": []}}


@pytest.fixture
def webhook(feishu: Scripted) -> GroupWebhook:
    return GroupWebhook(f"{feishu.url}{PATH}token", "secret", lambda: 1_700_000_000.4)


def test_a_message_is_signed_with_time_and_secret(feishu: Scripted, webhook: GroupWebhook) -> None:
    webhook.send("text", {"text": "hi"})
    webhook.send("interactive", CARD)

    text, card = (asked.json for asked in feishu.asked)
    key = b"1700000000\nsecret"
    expected = base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()
    assert text == {
        "msg_type": "text",
        "content": {"text": "hi"},
        "timestamp": "1700000000",
        "sign": expected,
    }
    assert (card["msg_type"], card["card"]) == ("interactive", CARD)
    assert signed("secret", 1_700_000_000) == expected


def test_without_a_secret_nothing_is_signed(feishu: Scripted) -> None:
    GroupWebhook(f"{feishu.url}{PATH}token", "").send("text", {"text": "hi"})

    assert "sign" not in feishu.asked[0].json


@pytest.mark.parametrize(
    ("status", "answer", "error"),
    [
        (200, {"code": 19021, "msg": "sign match fail"}, FeishuRejected),
        (200, {"StatusCode": 19024}, FeishuRejected),
        (200, {"code": 9499, "msg": "Bad Request"}, CardRejected),
        (200, {"code": 11232, "msg": "frequency limited"}, FeishuUnavailable),
        (502, b"<html>Bad gateway</html>", FeishuUnavailable),
        (200, b"<html>", FeishuUnavailable),
        (200, [], FeishuUnavailable),
    ],
)
def test_refusals_are_told_apart(
    feishu: Scripted, webhook: GroupWebhook, status: int, answer: object, error: type
) -> None:
    feishu.next(status, answer)
    with pytest.raises(error) as caught:
        webhook.send("text", {"text": "hi"})

    assert type(caught.value) is error
    assert "token" not in str(caught.value)


def test_older_answers_are_understood(feishu: Scripted, webhook: GroupWebhook) -> None:
    feishu.next(200, {"StatusCode": 0, "StatusMessage": "success"})
    webhook.send("text", {"text": "hi"})


def test_nobody_there_is_trouble_that_may_pass() -> None:
    with pytest.raises(FeishuUnavailable):
        GroupWebhook("http://127.0.0.1:9/open-apis/bot/v2/hook/t", "").send("text", {"text": "a"})


def test_what_is_too_large_is_not_sent(feishu: Scripted, webhook: GroupWebhook) -> None:
    with pytest.raises(CardRejected):
        webhook.send("text", {"text": "x" * 21_000})

    assert feishu.asked == []


@pytest.mark.parametrize(
    "url",
    [
        f"{FEISHU}{PATH}abc",
        f"https://open.larksuite.com{PATH}abc",
        f"http://emulator:8787{PATH}oc_1",
    ],
)
def test_custom_bots_of_the_platform_are_good(url: str) -> None:
    check_url(url, "http://emulator:8787")


@pytest.mark.parametrize(
    "url",
    [
        f"http://open.feishu.cn{PATH}abc",
        f"https://open.feishu.cn.evil.com{PATH}abc",
        f"https://open.feishu.cn@evil.com{PATH}abc",
        f"https://evil.com{PATH}abc",
        f"https://open.feishu.cn:8443{PATH}abc",
        f"{FEISHU}{PATH}",
        f"{FEISHU}/open-apis/im/v1/messages",
        "file:///etc/passwd",
        f"http://emulator:8788{PATH}abc",
    ],
)
def test_other_addresses_are_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        check_url(url, "http://emulator:8787")

    assert "evil" not in str(caught.value)
    assert "8788" not in str(caught.value)


def test_it_comes_from_the_settings(make_settings: MakeSettings) -> None:
    assert group_webhook(make_settings()) is None
    with pytest.raises(ConfigurationError):
        group_webhook(make_settings(fallback_webhook_url="https://evil.com/"))
    assert group_webhook(make_settings(fallback_webhook_url=f"{FEISHU}{PATH}abc")) is not None
