"""Serving an emulator with uvicorn."""

import socket

import uvicorn

from rankscope.errors import ConfigurationError
from sandbox.feishu.app import create_app
from sandbox.feishu.emulator import Emulator


def listen(host: str, port: int) -> socket.socket:
    """Open the port, any free one for 0; raises ConfigurationError when it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise ConfigurationError(
            f"Port {port} of {host} cannot be opened: {error.strerror}.",
            "Stop what uses it, or choose another port.",
        ) from error


class Server(uvicorn.Server):
    """Ends the open event streams first when it is asked to stop, since they never end alone."""

    def __init__(self, emulator: Emulator) -> None:
        config = uvicorn.Config(
            create_app(emulator),
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=3,
            ws="websockets-sansio",
        )
        super().__init__(config)
        self._emulator = emulator

    async def on_tick(self, counter: int) -> bool:
        """Close the feed as soon as the server is to stop."""
        stop = await super().on_tick(counter)
        if stop:
            self._emulator.feed.close()
        return stop
