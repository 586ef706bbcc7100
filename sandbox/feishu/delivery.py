"""Events on their way to the bot: pushed again until they are answered.

Source: event subscription guide: status 200 within 3 s, else again after 15 s, 5 min, 1 h and 6 h.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import httpx

from sandbox.feishu.carrying import Carrier
from sandbox.feishu.clock import Clock
from sandbox.feishu.connections import NotConnected
from sandbox.feishu.envelopes import Event
from sandbox.feishu.options import Options
from sandbox.feishu.subscription import Subscription

DeliveryState = Literal["waiting", "delivered", "retrying", "given up", "no url"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One push; outcome is the HTTP status as text, or what went wrong."""

    at_ms: int
    outcome: str
    took_ms: float = 0.0


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
        subscription: Subscription,
        carrier: Carrier,
        changed: Callable[[], None],
    ) -> None:
        self._options = options
        self._clock = clock
        self._subscription = subscription
        self._carrier = carrier
        self._changed = changed
        self._tasks: set[asyncio.Task[None]] = set()
        self._held: list[tuple[Event, Delivery]] = []
        self._hold = 0
        self.twice = options.deliver_twice
        self.all: list[Delivery] = []

    def push(self, event: Event) -> None:
        """Begin to deliver an event; twice when that is asked for."""
        for _ in range(2 if self.twice else 1):
            delivery = Delivery(event.event_id, event.event_type)
            self.all.append(delivery)
            self._held.append((event, delivery))
        if len(self._held) >= self._hold:
            self.release()

    def reorder(self, count: int) -> None:
        """Hold the next events back until there are so many, then deliver the last one first."""
        self._hold = count

    @property
    def holds_back(self) -> bool:
        """Whether events wait for others that are to overtake them."""
        return self._hold > 0

    def release(self) -> None:
        """Deliver what is held back, the last one first."""
        held, self._held, self._hold = self._held[::-1], [], 0
        for event, delivery in held:
            task = asyncio.create_task(self._deliver(event, delivery))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def clear(self) -> None:
        """Forget what was delivered and what is held back."""
        self._held.clear()
        self._hold = 0
        self.all.clear()

    def stop(self) -> None:
        """Give up all deliveries."""
        for task in tuple(self._tasks):
            task.cancel()

    async def _deliver(self, event: Event, delivery: Delivery) -> None:
        if not await self._carrier.ready():
            delivery.state = "no url"
            return
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
        at_ms, took_ms = self._clock.now_ms(), 0.0
        try:
            carried = await self._carrier.carry(event.payload, self._subscription.event_url)
            outcome, took_ms = str(carried.status), carried.took_ms
        except TimeoutError:
            outcome = "no answer within 3 s"
        except NotConnected as error:
            outcome = str(error)
        except httpx.HTTPError as error:
            outcome = f"{type(error).__name__}: {error}".rstrip(": ")
        delivery.attempts.append(Attempt(at_ms, outcome, took_ms))
        return outcome == "200"
