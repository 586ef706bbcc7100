"""An emulator for tests: `with running_emulator(...) as running:`."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rankscope.errors import RankscopeError
from sandbox.feishu.client import EmulatorClient
from sandbox.feishu.clock import Clock
from sandbox.feishu.emulator import Emulator, create_emulator
from sandbox.feishu.options import Options
from sandbox.feishu.server import Server, listen

START_S = 20.0


@dataclass(frozen=True, slots=True)
class RunningEmulator:
    """A served emulator, its address, and a client for it."""

    url: str
    client: EmulatorClient
    emulator: Emulator

    @property
    def chat_id(self) -> str:
        """The id of the first group."""
        return self.client.chat_id()


class _SignallingServer(Server):
    """Tells the thread that started it when it serves, or that it never will."""

    def __init__(self, emulator: Emulator) -> None:
        super().__init__(emulator)
        self.settled = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()

    def serve_thread(self, listener: socket.socket) -> None:
        try:
            self.run([listener])
        finally:
            self.settled.set()


@contextmanager
def running_emulator(
    options: Options | None = None, *, clock: Clock | None = None
) -> Iterator[RunningEmulator]:
    """Serve an emulator on a free loopback port in a thread; raises RankscopeError."""
    options = options or Options()
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        emulator = create_emulator(replace(options, host="127.0.0.1", port=port), clock)
        server = _SignallingServer(emulator)
        thread = threading.Thread(target=server.serve_thread, args=(listener,), daemon=True)
        thread.start()
        if not server.settled.wait(START_S) or not server.started:
            raise RankscopeError("The emulator did not start.", "See the log above.")
        url = f"http://127.0.0.1:{port}"
        try:
            with EmulatorClient(url) as client:
                yield RunningEmulator(url, client, emulator)
        finally:
            server.should_exit = True
            thread.join(START_S)
