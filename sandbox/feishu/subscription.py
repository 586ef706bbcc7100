"""Where the bot listens, and whether it has proved that by answering a challenge.

Source: event subscription guide: the challenge must come back within a second with status 200.
"""

import asyncio
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

import httpx

from sandbox.feishu.crypto import sealed
from sandbox.feishu.options import Options

CHALLENGE_S: Final = 1.0
RETRY_S: Final = 0.5

State = Literal["checking", "verified"]


@dataclass(slots=True)
class Address:
    """One request URL and what came of its check; detail says why it failed last."""

    url: str
    state: State = "checking"
    detail: str = ""
    answered: asyncio.Event = field(default_factory=asyncio.Event)


class Subscription:
    """Checks the request URLs until the bot answers, since it may start after the emulator."""

    def __init__(
        self, options: Options, http: httpx.AsyncClient, changed: Callable[[], None]
    ) -> None:
        self._options = options
        self._http = http
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()
        self.addresses: dict[str, Address] = {}
        self.event_url = options.event_url
        self.click_url = options.clicks_url

    def start(self) -> None:
        """Begin to check the URLs that the options name."""
        self.point_at(self.event_url, self.click_url)

    def point_at(self, event_url: str, click_url: str = "") -> None:
        """Use other URLs from now on, as when they are changed in the developer console."""
        self.stop()
        self.event_url, self.click_url = event_url, click_url or event_url
        wanted = {url for url in (self.event_url, self.click_url) if url}
        self.addresses = {url: Address(url) for url in sorted(wanted)}
        for address in self.addresses.values():
            self._tasks.add(asyncio.create_task(self._until_verified(address)))
        self._changed()

    def stop(self) -> None:
        """Stop checking."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()

    async def verified(self, url: str) -> None:
        """Wait until the bot has answered the challenge at a URL."""
        await self.addresses[url].answered.wait()

    async def _until_verified(self, address: Address) -> None:
        while address.state != "verified":
            problem = await self.challenge(address.url)
            if problem != address.detail or not problem:
                address.detail = problem
                address.state = "checking" if problem else "verified"
                self._changed()
            if problem:
                await asyncio.sleep(RETRY_S)
        address.answered.set()

    async def challenge(self, url: str) -> str:
        """Send one challenge; return what was wrong with the answer, or an empty string."""
        challenge = secrets.token_hex(16)
        payload = {
            "challenge": challenge,
            "token": self._options.verification_token,
            "type": "url_verification",
        }
        push = sealed(payload, self._options.encrypt_key)
        try:
            async with asyncio.timeout(CHALLENGE_S):
                answer = await self._http.post(url, content=push.body, headers=push.headers)
        except TimeoutError:
            return "no answer within 1 s"
        except httpx.HTTPError as error:
            return f"{type(error).__name__}: {error}".rstrip(": ")
        return _problem(answer, challenge)


def _problem(answer: httpx.Response, challenge: str) -> str:
    if answer.status_code != 200:
        return f"HTTP {answer.status_code}"
    try:
        same = answer.json().get("challenge") == challenge
    except (json.JSONDecodeError, AttributeError):
        return "the answer is not a JSON object"
    return "" if same else "the answer does not repeat the challenge"
