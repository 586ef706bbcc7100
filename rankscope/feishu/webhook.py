"""A group's custom bot, to be heard when our app is not: a webhook that takes one message.

Its cards can be neither updated nor answered. Format, signature and codes: the open platform's page
on custom bots; it takes 20 KB, 5 messages a second and 100 a minute.
"""

import base64
import hashlib
import hmac
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx

from rankscope.errors import ConfigurationError
from rankscope.feishu.api import Content
from rankscope.feishu.errors import CardRejected, FeishuRejected, FeishuUnavailable
from rankscope.settings import Settings

HOSTS = frozenset({"open.feishu.cn", "open.larksuite.com"})
PATH = "/open-apis/bot/v2/hook/"
TIMEOUT_S = 10.0
MOST_BYTES = 20 * 1024

_BUSY = frozenset({11232, 99991400})
_NEXT_STEP = {
    19021: "Check RANKSCOPE_FALLBACK_WEBHOOK_SECRET and the clock of this host.",
    19022: "Allow this host's address in the security settings of the custom bot.",
    19024: "Remove the keywords from the security settings of the custom bot; sign instead.",
}


def group_webhook(settings: Settings) -> "GroupWebhook | None":
    """Return the fallback of the settings, None without one; raises ConfigurationError."""
    url = settings.fallback_webhook_url.get_secret_value()
    if not url:
        return None
    check_url(url, settings.feishu_domain)
    return GroupWebhook(url, settings.fallback_webhook_secret.get_secret_value())


def check_url(url: str, domain: str) -> None:
    """Refuse a URL that is no custom bot of Feishu, Lark, or the open platform in use.

    The message is ours to send to nobody else; the URL itself is secret and not shown.
    """
    given, own = urlsplit(url), urlsplit(domain)
    public = given.scheme == "https" and given.netloc in HOSTS
    same = (given.scheme, given.netloc) == (own.scheme, own.netloc)
    if not (public or same) or not given.path.startswith(PATH) or given.path == PATH:
        raise ConfigurationError(
            "RANKSCOPE_FALLBACK_WEBHOOK_URL is not the webhook of a custom bot.",
            f"It begins with https://open.feishu.cn{PATH} or https://open.larksuite.com{PATH}.",
        )


def signed(secret: str, timestamp: int) -> str:
    """Return the signature of a moment (seconds): HMAC-SHA256 of nothing, keyed with both."""
    key = f"{timestamp}\n{secret}".encode()
    return base64.b64encode(hmac.new(key, digestmod=hashlib.sha256).digest()).decode()


class GroupWebhook:
    """Posts to one custom bot."""

    def __init__(self, url: str, secret: str, now: Callable[[], float] = time.time) -> None:
        self._url = url
        self._secret = secret
        self._now = now

    def send(self, msg_type: str, content: Content) -> None:
        """Send a text or a card.

        Raises CardRejected for what is too large, FeishuRejected and FeishuUnavailable.
        """
        field = "card" if msg_type == "interactive" else "content"
        message: dict[str, object] = {"msg_type": msg_type, field: content}
        if self._secret:
            timestamp = int(self._now())
            message |= {"timestamp": str(timestamp), "sign": signed(self._secret, timestamp)}
        request = httpx.Request("POST", self._url, json=message)
        if len(request.content) > MOST_BYTES:
            raise CardRejected("The message is larger than a custom bot takes.")
        try:
            with httpx.Client(timeout=TIMEOUT_S) as client:
                answer = client.send(request)
                code = _code_of(answer)
        except httpx.HTTPError as error:
            raise FeishuUnavailable(
                f"The custom bot did not answer: {type(error).__name__}."
            ) from None
        if code != 0:
            raise _failure(answer.status_code, code)


def _code_of(answer: httpx.Response) -> int | None:
    """Return the body's code: newer answers call it `code`, older ones `StatusCode`."""
    try:
        body = answer.json()
    except ValueError:
        return None
    if not isinstance(body, dict):
        return None
    code = body.get("code", body.get("StatusCode"))
    return code if isinstance(code, int) else None


def _failure(status: int, code: int | None) -> Exception:
    what = f"The custom bot refused the message (code {code}, HTTP {status})."
    if status == 429 or status >= 500 or code is None or code in _BUSY:
        return FeishuUnavailable(what, "It is tried again.")
    if code == 9499:
        return CardRejected(what, "A text is sent instead.", code)
    next_step = _NEXT_STEP.get(code, "Look at the custom bot in the group's settings.")
    return FeishuRejected(what, next_step, code)
