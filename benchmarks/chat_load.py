"""What benchmarks/chat.py sends, at fixed times, and what it measures of the answers."""

import asyncio
import json
import random
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field

import uvicorn

from sandbox.feishu.connections import NotConnected
from sandbox.feishu.crypto import sealed
from sandbox.feishu.emulator import Emulator
from tests.capture.fake_agent import fake_agent, sample
from tests.feishu.payloads import Json, click, message

KEY, TOKEN = "encrypt-key", "verification-token"
LIMIT_MS, MOST_MS = 300.0, 3000.0
JOBS, NODES, RANKS = 24, 4, 8
PEOPLE = 40
PATH = "/feishu/events"


@dataclass(slots=True)
class Figures:
    """How long answers took, in ms; lost counts those that never came or were refused."""

    took_ms: list[float] = field(default_factory=list)
    lost: int = 0

    def quantile(self, share: float) -> float:
        """Return a quantile in ms."""
        ordered = sorted(self.took_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def row(self, way: str, what: str, cpu: str, captures: str) -> str:
        """Return a line of the table."""
        total = len(self.took_ms) + self.lost
        longest = max(self.took_ms, default=0.0)
        return (
            f"| {way} | {what} | {len(self.took_ms):,} of {total:,} | {self.quantile(0.5):.1f} ms "
            f"| {self.quantile(0.99):.1f} ms | {longest:.0f} ms | {cpu} | {captures} |"
        )

    @property
    def good(self) -> bool:
        """Whether the limits were kept."""
        within = self.quantile(0.99) < LIMIT_MS and max(self.took_ms, default=0.0) <= MOST_MS
        return bool(self.took_ms) and within and not self.lost


Line = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Road = Callable[[Json], Awaitable[int]]


def long_road(emulator: Emulator) -> Road:
    """Return the way over a long connection of the emulator."""

    async def ask(payload: Json) -> int:
        return (await emulator.connections.ask(payload)).code

    return ask


class Pusher:
    """Pushes as the emulator does, without its HTTP library, which takes as long as the bot."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[Line] = []

    async def push(self, payload: Json) -> int:
        """Push an event encrypted and signed; return the status. Raises OSError."""
        push = sealed(payload, KEY)
        fields = {**push.headers, "Host": "bot", "Content-Length": str(len(push.body))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        request = f"POST {PATH} HTTP/1.1\r\n{lines}\r\n".encode() + push.body
        while self._free:
            try:
                return await self._ask(self._free.pop(), request)
            except (OSError, asyncio.IncompleteReadError):  # The bot ends idle connections.
                continue
        return await self._ask(await asyncio.open_connection("127.0.0.1", self._port), request)

    async def _ask(self, line: Line, request: bytes) -> int:
        reader, writer = line
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        self._free.append(line)
        return int(head.split()[1])

    def close(self) -> None:
        """Close all connections."""
        for _, writer in self._free:
            writer.close()


def serve_agents() -> None:
    """Be the nodes of all jobs: every node holds some ranks and needs a while for a sample."""
    lines = [
        [sample(f"node-{node}", number, node * RANKS) for number in range(2)]
        for node in range(NODES)
    ]
    with ExitStack() as stack:
        agents = [
            stack.enter_context(fake_agent(f"node-{n}", lines=lines[n], seconds=0.5))
            for n in range(NODES)
        ]
        print(json.dumps([agent.url for agent in agents]), flush=True)
        signal.pause()


def serve_at_once(port: int) -> None:
    """Be a bot that answers everything at once: what is left is the emulator's own time."""

    async def app(scope: Json, receive: object, send: object) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):  # type: ignore[operator]
            pass
        head = {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-length", b"2")],
        }
        await send(head)  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b"{}"})  # type: ignore[operator]

    uvicorn.run(app, port=port, log_level="error", lifespan="off")


class Load:
    """Sends clicks and events at fixed times, whether answers come or not."""

    def __init__(self, road: Road, rate: float, seconds: float) -> None:
        self._road = road
        self._rate = rate
        self._count = int(rate * seconds)
        self._chance = random.Random(7)
        self.figures = {"click": Figures(), "event": Figures()}

    async def run(self) -> None:
        """Send all, and wait for the last answer."""
        began, tasks = time.monotonic(), []
        for number in range(self._count):
            await asyncio.sleep(max(0.0, began + number / self._rate - time.monotonic()))
            tasks.append(asyncio.create_task(self._send(number)))
        await asyncio.gather(*tasks)

    async def _send(self, number: int) -> None:
        figures = self.figures["click" if number % 2 else "event"]
        payload = self._click() if number % 2 else self._event(number)
        began = time.perf_counter()
        try:
            async with asyncio.timeout(MOST_MS / 1000):
                status = await self._road(payload)
        except (OSError, TimeoutError, NotConnected, asyncio.IncompleteReadError):
            figures.lost += 1
            return
        figures.took_ms.append((time.perf_counter() - began) * 1000)
        figures.lost += status != 200

    def _click(self) -> Json:
        job = self._chance.randrange(JOBS)
        act = self._chance.choice(["recapture", "recapture", "ack", "compare", "bundle"])
        pressed = click({"act": act, "incident": f"in-{job}", "rev": 1})
        pressed["event"]["operator"]["open_id"] = f"ou_{self._chance.randrange(PEOPLE)}"
        return pressed

    def _event(self, number: int) -> Json:
        """Return a command; every fourth event is the repetition of one."""
        text = self._chance.choice(["/status", "/jobs", "/errors bench-1", "/report bench-2"])
        unique = number - 6 if number % 8 == 6 else number
        return message(
            text, mentions=(), chat_type="p2p", message_id=f"om_{unique}", event_id=f"ev-{unique}"
        )
