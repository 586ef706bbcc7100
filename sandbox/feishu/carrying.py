"""The way of an event or a click to the bot: an HTTP push, or a frame of a long connection."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import httpx

from sandbox.feishu.connections import Connections
from sandbox.feishu.crypto import sealed
from sandbox.feishu.options import Options
from sandbox.feishu.subscription import Subscription

DEADLINE_S: Final = 3.0
CONNECT_S: Final = 2.0

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Carried:
    """What came back: an HTTP status, the body, and how long the bot took in ms."""

    status: int
    body: bytes
    took_ms: float


class Carrier:
    """Brings events to the bot and its answers back."""

    def __init__(
        self,
        options: Options,
        http: httpx.AsyncClient,
        subscription: Subscription,
        connections: Connections,
    ) -> None:
        self._options = options
        self._http = http
        self._subscription = subscription
        self._connections = connections
        self.receive = options.receive

    @property
    def uses_long(self) -> bool:
        """Whether the next event goes over a long connection."""
        wanted = self.receive == "auto" and bool(self._connections.open)
        return self.receive == "long" or wanted

    async def ready(self) -> bool:
        """Wait until the bot can be reached for the first time; False when it never will be."""
        if self.uses_long:
            await self._connections.first()
            return True
        url = self._subscription.event_url
        if url:
            await self._subscription.verified(url)
        return bool(url)

    async def carry(self, payload: Json, url: str) -> Carried:
        """Bring an event; raises TimeoutError, httpx.HTTPError or NotConnected."""
        began = time.perf_counter()
        async with asyncio.timeout(DEADLINE_S):
            if self.uses_long:
                answer = await self._connections.ask(payload)
                return Carried(answer.code, answer.data, _since(began))
            push = sealed(payload, self._options.encrypt_key)
            response = await self._http.post(url, content=push.body, headers=push.headers)
        return Carried(response.status_code, response.content, _since(began))


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
