"""Events on their way to the bot: pushed again until they are answered.

Source: event subscription guide: status 200 within 3 s, else again after 15 s, 5 min, 1 h and 6 h.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

import httpx

from sandbox.feishu.clock import Clock
from sandbox.feishu.crypto import sealed
from sandbox.feishu.envelopes import Event
from sandbox.feishu.options import Options
from sandbox.feishu.subscription import Subscription

DEADLINE_S: Final = 3.0
CONNECT_S: Final = 2.0
DeliveryState = Literal["waiting", "delivered", "retrying", "given up", "no url"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One push; outcome is the HTTP status as text, or what went wrong."""

    at_ms: int
    outcome: str


@dataclass(slots=True)
class Delivery:
    """An event with its attempts."""

    event_id: str
    event_type: str
    state: DeliveryState = "waiting"
    attempts: list[Attempt] = field(default_factory=list)


class Deliveries:
    """Pushes events, each in its own task, so that a slow one holds up no other."""

    def __init__(
        self,
        options: Options,
        clock: Clock,
        http: httpx.AsyncClient,
        subscription: Subscription,
        changed: Callable[[], None],
    ) -> None:
        self._options = options
        self._clock = clock
        self._http = http
        self._subscription = subscription
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()
        self.twice = options.deliver_twice
        self.all: list[Delivery] = []

    def push(self, event: Event) -> None:
        """Begin to deliver an event; twice when that is asked for."""
        for _ in range(2 if self.twice else 1):
            delivery = Delivery(event.event_id, event.event_type)
            self.all.append(delivery)
            task = asyncio.create_task(self._deliver(event, delivery))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def stop(self) -> None:
        """Give up all deliveries."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _deliver(self, event: Event, delivery: Delivery) -> None:
        if not self._subscription.event_url:
            delivery.state = "no url"
            return
        await self._subscription.verified(self._subscription.event_url)
        for pause_s in (*self._options.retry_after_s, None):
            if await self._attempt(event, delivery):
                delivery.state = "delivered"
                break
            delivery.state = "given up" if pause_s is None else "retrying"
            self._changed()
            if pause_s is not None:
                await asyncio.sleep(pause_s)
        self._changed()

    async def _attempt(self, event: Event, delivery: Delivery) -> bool:
        push = sealed(event.payload, self._options.encrypt_key)
        url, at_ms = self._subscription.event_url, self._clock.now_ms()
        try:
            async with asyncio.timeout(DEADLINE_S):
                answer = await self._http.post(url, content=push.body, headers=push.headers)
            outcome = str(answer.status_code)
        except TimeoutError:
            outcome = "no answer within 3 s"
        except httpx.HTTPError as error:
            outcome = f"{type(error).__name__}: {error}".rstrip(": ")
        delivery.attempts.append(Attempt(at_ms, outcome))
        return outcome == "200"
