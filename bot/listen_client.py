"""The SDK's client of the long connection, with what it does wrong kept away from us.

What lark-oapi 1.7.5 does, and what is done about it: it keeps one event loop for the whole process,
taken at import (ours is put in its place); it asks for the address inside that loop and without a
timeout (it is asked in a thread, with one);
it acts on events inside its loop, so that a slow one holds up all others and the pings (they run
beside each other); when it cannot reconnect it stops trying and says nothing (it does not reconnect
at all here, it says that the connection is lost); it prints the ticket (nothing below a warning is
logged, and bot.listen_logs takes tickets out of the rest).
"""

import asyncio
import base64
import functools
import logging
import time
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any

import msgspec
import requests
from lark_oapi.core.enum import LogLevel
from lark_oapi.ws import client as sdk
from lark_oapi.ws.exception import ClientException
from lark_oapi.ws.pb.pbbp2_pb2 import Frame

from rankscope.settings import Settings

BOOTSTRAP_S = (5.0, 10.0)
"""Timeouts of the request for the address: to connect, and to get an answer."""
LAST_WORDS_S = 3.0

Answer = tuple[int, dict[str, Any] | None]
Act = Callable[[bytes], Awaitable[Answer]]

__all__ = ["ClientException", "LongClient"]


class LongClient(sdk.Client):  # type: ignore[misc, unused-ignore]
    """One long connection; make it inside the loop that is to run it.

    `lost` is set when the connection has ended, `heard_at` (time.monotonic) is when the last frame
    came, `ping_s` how often the server wants a ping.
    """

    def __init__(self, settings: Settings, act: Act) -> None:
        sdk.loop = asyncio.get_running_loop()
        post = functools.partial(requests.post, timeout=BOOTSTRAP_S)
        sdk.requests = SimpleNamespace(post=post)
        super().__init__(
            settings.feishu_app_id,
            settings.feishu_app_secret.get_secret_value(),
            log_level=LogLevel.WARNING,
            domain=settings.feishu_domain.rstrip("/"),
        )
        # Its own handler would print every line a second time, and to stdout.
        logging.getLogger("Lark").handlers.clear()
        self._act = act
        self._busy: set[asyncio.Task[None]] = set()
        self._address = ""
        self.lost = asyncio.Event()
        self.heard_at = time.monotonic()

    @property
    def connected(self) -> bool:
        """Whether the connection is open, as far as the client knows."""
        return self._conn is not None

    @property
    def ping_s(self) -> float:
        """Seconds between two pings."""
        return float(self._ping_interval or 0)

    @property
    def jitter_s(self) -> float:
        """The longest random pause that the server wants before the first new attempt."""
        return float(self._reconnect_nonce or 0)

    async def open(self) -> None:
        """Connect; raises ClientException when refused, otherwise whatever went wrong."""
        self.lost.clear()
        self._address = await asyncio.to_thread(super()._get_conn_url)
        await self._connect()
        self.heard_at = time.monotonic()

    def _get_conn_url(self) -> str:
        """Return the address that was asked for outside of the loop."""
        return self._address

    async def ping_forever(self) -> None:
        """Send pings as often as the server wants them, whatever becomes of the connection."""
        await self._ping_loop()

    async def close(self) -> None:
        """Let what is being answered be answered, then end the connection."""
        if self._busy:
            await asyncio.wait(self._busy, timeout=LAST_WORDS_S)
        logging.getLogger("Lark").setLevel(logging.CRITICAL)  # It calls its own end an error.
        await self._disconnect()

    async def _reconnect(self) -> None:
        self.lost.set()

    async def _handle_message(self, msg: bytes) -> None:
        self.heard_at = time.monotonic()
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine is run by a task
        self._busy.add(task)
        try:
            await super()._handle_message(msg)
        finally:
            self._busy.discard(task)

    async def _handle_data_frame(self, frame: Frame) -> None:
        headers = {header.key: header.value for header in frame.headers}
        payload = frame.payload
        parts = int(headers["sum"])
        if parts > 1:
            payload = self._combine(headers["message_id"], parts, int(headers["seq"]), payload)
        if payload is None or headers["type"] != "event":
            return
        began = time.monotonic()
        code, answer = await self._act(payload)
        took = frame.headers.add()
        took.key, took.value = "biz_rt", f"{(time.monotonic() - began) * 1000:.0f}"
        frame.payload = _acknowledgement(code, answer)
        await self._write_message(frame.SerializeToString())


def _acknowledgement(code: int, answer: dict[str, Any] | None) -> bytes:
    body: dict[str, Any] = {"code": code}
    if answer is not None:
        body["data"] = base64.b64encode(msgspec.json.encode(answer)).decode()
    return msgspec.json.encode(body)
