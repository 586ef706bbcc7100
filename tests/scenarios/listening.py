"""What `rankscope listen` does in its process, done in a thread of the test."""

import asyncio
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lark_oapi.ws import client as sdk
from redis import Redis

from bot.identity import BotIdentity
from bot.listen_child import Listener
from bot.receiving import Receiver
from rankscope.settings import Settings
from rankscope.store.state import State
from sandbox.feishu.testing import RunningEmulator
from tests.sandbox.feishu.waiting import until


@contextmanager
def listening(emulator: RunningEmulator, settings: Settings, redis: Redis) -> Iterator[None]:
    """Keep a long connection to the emulator, which sends its events over it from then on."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    made: list[tuple[Listener, asyncio.AbstractEventLoop]] = []

    async def listen() -> None:
        listener = Listener(Receiver(State(redis), settings, BotIdentity()), writing)
        made.append((listener, asyncio.get_running_loop()))
        await listener.run()

    before = sdk.loop
    thread = threading.Thread(target=lambda: asyncio.run(listen()))
    thread.start()
    try:
        until(lambda: emulator.emulator.connections.open)
        yield
    finally:
        [(listener, loop)] = made
        loop.call_soon_threadsafe(listener.stop)
        thread.join()
        sdk.loop = before
        os.close(reading)
        os.close(writing)
