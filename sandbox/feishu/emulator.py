"""The emulator as one object: its state, its rules, and its way to the bot."""

from collections import deque
from dataclasses import dataclass, field

import httpx

from sandbox.feishu.carrying import CONNECT_S, DEADLINE_S, Carrier
from sandbox.feishu.clock import Clock
from sandbox.feishu.connections import Connections
from sandbox.feishu.delivery import Deliveries
from sandbox.feishu.envelopes import Event, envelope
from sandbox.feishu.faults import Faults
from sandbox.feishu.feed import Feed
from sandbox.feishu.limits import Limits
from sandbox.feishu.options import Options
from sandbox.feishu.sent import SentOnce
from sandbox.feishu.subscription import Subscription
from sandbox.feishu.tokens import CardTokens, TenantTokens
from sandbox.feishu.world import World


@dataclass(slots=True)
class Emulator:
    """Everything the HTTP surfaces share."""

    options: Options
    clock: Clock
    feed: Feed
    world: World
    tenant_tokens: TenantTokens
    card_tokens: CardTokens
    limits: Limits
    sent: SentOnce
    faults: Faults
    http: httpx.AsyncClient
    subscription: Subscription
    connections: Connections
    carrier: Carrier
    deliveries: Deliveries
    click_times_ms: deque[float] = field(default_factory=lambda: deque(maxlen=100_000))

    def push(self, event_type: str, event: dict[str, object]) -> Event:
        """Send an event on its way to the bot."""
        wrapped = envelope(self.options, self.clock, event_type, event)
        self.deliveries.push(wrapped)
        return wrapped

    def reset(self) -> None:
        """Forget what happened, but keep the bot's address and tokens."""
        self.world.reset()
        self.limits = Limits(self.clock)
        self.sent = SentOnce(self.clock)
        self.faults.clear()
        self.deliveries.clear()
        self.click_times_ms.clear()
        self.clock.skipped_s = 0.0

    async def stop(self) -> None:
        """Stop everything that is under way."""
        self.feed.close()
        self.subscription.stop()
        self.deliveries.stop()
        await self.http.aclose()


def create_emulator(options: Options, clock: Clock | None = None) -> Emulator:
    """Put an emulator together; nothing runs yet."""
    clock, feed = clock or Clock(), Feed()
    # Proxies of the environment are for the outer world; the bot is near.
    http = httpx.AsyncClient(trust_env=False, timeout=httpx.Timeout(DEADLINE_S, connect=CONNECT_S))

    def changed() -> None:
        feed.tell("subscription")

    subscription = Subscription(options, http, changed)
    connections = Connections(options, clock, changed)
    carrier = Carrier(options, http, subscription, connections)
    return Emulator(
        options=options,
        clock=clock,
        feed=feed,
        world=World(options, clock, feed),
        tenant_tokens=TenantTokens(clock),
        card_tokens=CardTokens(clock),
        limits=Limits(clock),
        sent=SentOnce(clock),
        faults=Faults(),
        http=http,
        subscription=subscription,
        connections=connections,
        carrier=carrier,
        deliveries=Deliveries(options, clock, subscription, carrier, changed),
    )
