"""Long connections that bots have opened: events go out on one of them, answers come back.

Source: the page on long connections (at most 50 for one app, each event to one of them at random,
3 s to answer) and the SDK's client (frames, headers, refusal of the handshake).
"""

import asyncio
import base64
import binascii
import json
import random
import secrets
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import msgspec

from sandbox.feishu.clock import Clock
from sandbox.feishu.frames import CONTROL, DATA, Frame, decode, encode
from sandbox.feishu.options import Options

TICKET_S: Final = 60.0
SERVICE_ID: Final = 33554678
AUTH_FAILED, FORBIDDEN = 514, 403
TOO_MANY: Final = 1000040350

Json = dict[str, object]
Send = Callable[[bytes], Awaitable[None]]
Close = Callable[[], Awaitable[None]]


class NotConnected(Exception):
    """No long connection is open, or the one that was used has ended."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a handshake is refused, as the headers say it; auth_code is 0 where there is none."""

    status: int
    message: str
    auth_code: int = 0

    @property
    def headers(self) -> dict[str, str]:
        """The headers that the SDK's client reads."""
        named = {"Handshake-Status": str(self.status), "Handshake-Msg": self.message}
        return {**named, "Handshake-Autherrcode": str(self.auth_code)}


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """What a client answered to an event: an HTTP status, and for clicks the answer's JSON."""

    code: int
    data: bytes = b""


@dataclass(frozen=True, slots=True)
class _Answer:
    code: int
    data: str | None = None


@dataclass(slots=True, eq=False)
class Connection:
    """One open connection; a silent one takes everything and answers nothing."""

    send: Send
    close: Close
    settings: bytes
    silent: bool = False
    waiting: dict[str, asyncio.Future[Acknowledgement]] = field(default_factory=dict)

    async def received(self, raw: bytes) -> None:
        """Take a frame of the client; raises BadFrame."""
        frame = decode(raw)
        if self.silent:
            return
        if frame.method == CONTROL and frame.kind == "ping":
            headers = {"type": "pong"}
            pong = Frame(
                method=CONTROL, service=frame.service, headers=headers, payload=self.settings
            )
            await self.send(encode(pong))
        elif frame.method == DATA:
            waiter = self.waiting.get(frame.headers.get("message_id", ""))
            if waiter is not None and not waiter.done():
                waiter.set_result(_acknowledgement(frame.payload))

    async def ask(self, payload: bytes, most_bytes: int) -> Acknowledgement:
        """Send an event, in several frames when it is long, and wait for its answer.

        Raises NotConnected when the connection ends before.
        """
        message_id = secrets.token_hex(16)
        waiter: asyncio.Future[Acknowledgement] = asyncio.get_running_loop().create_future()
        self.waiting[message_id] = waiter
        try:
            for frame in _frames(payload, message_id, most_bytes):
                if not self.silent:
                    await self.send(encode(frame))
            return await waiter
        finally:
            del self.waiting[message_id]

    def ended(self) -> None:
        """Tell all who wait that no answer will come."""
        for waiter in self.waiting.values():
            if not waiter.done():
                waiter.set_exception(NotConnected("the long connection was lost"))


def _frames(payload: bytes, message_id: str, most_bytes: int) -> Iterator[Frame]:
    parts = [payload[at : at + most_bytes] for at in range(0, len(payload), most_bytes)]
    for number, part in enumerate(parts):
        headers = {
            "type": "event",
            "message_id": message_id,
            "sum": str(len(parts)),
            "seq": str(number),
            "trace_id": secrets.token_hex(8),
        }
        yield Frame(method=DATA, service=SERVICE_ID, headers=headers, payload=part, seq_id=number)


def _acknowledgement(payload: bytes) -> Acknowledgement:
    """Read an answer; what cannot be read counts as status 500."""
    try:
        answer = msgspec.json.decode(payload, type=_Answer)
        return Acknowledgement(answer.code, base64.b64decode(answer.data or "", validate=True))
    except (msgspec.MsgspecError, UnicodeDecodeError, binascii.Error):
        return Acknowledgement(500)


class Connections:
    """Hands out tickets, keeps the open connections, and sends events over them."""

    def __init__(self, options: Options, clock: Clock, changed: Callable[[], None]) -> None:
        self._options = options
        self._clock = clock
        self._changed = changed
        self._tickets: dict[str, float] = {}
        self._first = asyncio.Event()
        self.open: list[Connection] = []
        self.opened_ever = 0

    @property
    def settings(self) -> Json:
        """The ClientConfig that the server gives its clients, in seconds."""
        return {
            "ReconnectCount": -1,
            "ReconnectInterval": self._options.reconnect_s,
            "ReconnectNonce": self._options.reconnect_jitter_s,
            "PingInterval": self._options.ping_s,
        }

    def ticket(self) -> str:
        """Return a ticket for one handshake."""
        ticket = secrets.token_hex(16)
        self._tickets[ticket] = self._clock.now() + TICKET_S
        return ticket

    def refusal(self, ticket: str) -> Refusal | None:
        """Use up a ticket; return why the handshake is refused, or None."""
        if self._tickets.pop(ticket, 0.0) < self._clock.now():
            return Refusal(FORBIDDEN, "the ticket is not valid")
        if len(self.open) >= self._options.most_connections:
            return Refusal(AUTH_FAILED, "too many connections", TOO_MANY)
        return None

    @contextmanager
    def opened(self, send: Send, close: Close) -> Iterator[Connection]:
        """Keep a connection as long as it lasts."""
        connection = Connection(send, close, json.dumps(self.settings).encode())
        self.open.append(connection)
        self.opened_ever += 1
        self._first.set()
        self._changed()
        try:
            yield connection
        finally:
            self.open.remove(connection)
            connection.ended()
            self._changed()

    async def first(self) -> None:
        """Wait until a client has connected for the first time."""
        await self._first.wait()

    async def ask(self, payload: Json) -> Acknowledgement:
        """Send an event over any of the connections; raises NotConnected."""
        if not self.open:
            raise NotConnected("no long connection is open")
        chosen = random.choice(self.open)  # noqa: S311 - as the platform does; no secret
        return await chosen.ask(
            json.dumps(payload, ensure_ascii=False).encode(), self._options.frame_bytes
        )

    async def drop(self) -> int:
        """Close all connections, as a network or a release of the platform does."""
        lost = tuple(self.open)
        for connection in lost:
            connection.ended()
            with suppress(RuntimeError):  # It may have ended by itself meanwhile.
                await connection.close()
        return len(lost)

    def silence(self) -> int:
        """Let all connections stay open but dead: nothing is sent or answered any more."""
        for connection in self.open:
            connection.silent = True
        return len(self.open)
