"""Send events to the bot until it has them."""

from collections.abc import Callable

import httpx
import msgspec
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_random_exponential

from rankscope.errors import RankscopeError
from rankscope.model.event import Event
from rankscope.signing import sign_webhook

PATH = "/webhooks/rankscope"
TIMEOUT_S = 10.0
LONGEST_WAIT_S = 30.0
_LATER = frozenset({408, 425, 429, 500, 502, 503, 504})


class NotNow(RankscopeError):
    """The bot could not be reached or could not take the event now."""


class Refused(RankscopeError):
    """The bot will not take the event, however often it is sent."""


class Poster:
    """Signs and posts events to one bot; `on_failure` hears of every try that failed."""

    def __init__(self, url: str, secret: str, on_failure: Callable[[str], None]) -> None:
        self._url = url.rstrip("/") + PATH
        self._secret = secret
        self._on_failure = on_failure
        # Proxies of the environment lead out of the cluster; the bot is inside.
        self._client = httpx.Client(timeout=TIMEOUT_S, trust_env=False)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def post(self, event: Event) -> str:
        """Send until it is accepted and return `accepted` or `duplicate`; raises Refused."""
        retrying = Retrying(
            retry=retry_if_exception_type(NotNow),
            wait=wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT_S),
            before_sleep=self._tell,
        )
        return retrying(self._once, msgspec.json.encode(event))

    def _tell(self, state: RetryCallState) -> None:
        if state.outcome:
            self._on_failure(str(state.outcome.exception()))

    def _once(self, body: bytes) -> str:
        headers = {"Content-Type": "application/json", **sign_webhook(self._secret, body)}
        try:
            answer = self._client.post(self._url, content=body, headers=headers)
        except httpx.TransportError as error:
            raise NotNow(f"{type(error).__name__}: {error}".rstrip(": ") + ".") from None
        if answer.status_code in _LATER:
            raise NotNow(f"The bot answered {answer.status_code}.")
        if not answer.is_success:
            raise _refusal(answer)
        return str(answer.json().get("status", ""))


def _refusal(answer: httpx.Response) -> Refused:
    try:
        said = answer.json()
        what, next_step = str(said["error"]), str(said.get("next_step", ""))
    except (ValueError, KeyError, TypeError):
        what, next_step = answer.text[:200].strip(), "Check --url: is the bot there?"
    return Refused(f"The bot refused the event ({answer.status_code}): {what}", next_step)
