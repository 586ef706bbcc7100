"""Send events to the bot, once each; when to try again is the outbox's business."""

from urllib.parse import urlsplit

import httpx
import msgspec

from rankscope.errors import ConfigurationError, RankscopeError
from rankscope.model.event import Event
from rankscope.signing import sign_webhook

PATH = "/webhooks/rankscope"
TIMEOUT_S = 10.0
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})
# The bot is right to refuse just this event; all others are refused for what is set up wrongly.
_ITS_OWN_FAULT = frozenset({400, 409, 410, 413, 415, 422})


class NotNow(RankscopeError):
    """The bot could not be reached or could not take the event now."""


class Refused(RankscopeError):
    """The bot will not take this event, however often it is sent."""


class RefusedAll(Refused):
    """The bot will take no event of ours until something is set up differently."""


def checked_url(url: str) -> str:
    """Return the address of the bot's webhooks; raises ConfigurationError when it is none."""
    if not _is_address(url):
        raise ConfigurationError(
            f"{url[:200]!r} is not the address of a bot.",
            "--url looks like http://rankscope-bot:8000.",
        )
    return url.rstrip("/") + PATH


def _is_address(url: str) -> bool:
    try:
        parsed = urlsplit(url)
        return parsed.scheme in {"http", "https"} and bool(parsed.hostname) and parsed.port != 0
    except ValueError:
        return False


class Poster:
    """Signs and posts events to one bot."""

    def __init__(self, url: str, secret: str) -> None:
        self._url = checked_url(url)
        self._secret = secret
        # Proxies of the environment lead out of the cluster; the bot is inside.
        self._client = httpx.Client(timeout=TIMEOUT_S, trust_env=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(self, event: Event) -> str:
        """Send once; return `accepted` or `duplicate`, raise NotNow, Refused or RefusedAll."""
        body = msgspec.json.encode(event)
        headers = {"Content-Type": "application/json", **sign_webhook(self._secret, body)}
        try:
            answer = self._client.post(self._url, content=body, headers=headers)
        except httpx.TransportError as error:
            raise NotNow(f"{type(error).__name__}: {error}".rstrip(": ") + ".") from None
        if answer.status_code in _LATER:
            raise NotNow(f"The bot answered {answer.status_code}.")
        if not answer.is_success:
            raise _refusal(answer)
        return _status(answer)


def _status(answer: httpx.Response) -> str:
    try:
        status = answer.json()["status"]
    except (ValueError, KeyError, TypeError):
        raise RefusedAll(
            "What answers there is not the bot.", "Check --url: is the bot there?"
        ) from None
    return "duplicate" if status == "duplicate" else "accepted"


def _refusal(answer: httpx.Response) -> Refused:
    try:
        said = answer.json()
        what, next_step = str(said["error"]), str(said.get("next_step", ""))
    except (ValueError, KeyError, TypeError):
        what, next_step = answer.text[:200].strip(), "Check --url: is the bot there?"
    kind = Refused if answer.status_code in _ITS_OWN_FAULT else RefusedAll
    return kind(f"The bot refused the event ({answer.status_code}): {what}", next_step)
