"""Serving an emulator with uvicorn."""

import uvicorn

from sandbox.feishu.app import create_app
from sandbox.feishu.emulator import Emulator


class Server(uvicorn.Server):
    """Ends the open event streams first when it is asked to stop, since they never end alone."""

    def __init__(self, emulator: Emulator, port: int) -> None:
        config = uvicorn.Config(
            create_app(emulator),
            host=emulator.options.host,
            port=port,
            log_level="warning",
            access_log=False,
            timeout_graceful_shutdown=3,
        )
        super().__init__(config)
        self._emulator = emulator

    async def on_tick(self, counter: int) -> bool:
        """Close the feed as soon as the server is to stop."""
        stop = await super().on_tick(counter)
        if stop:
            self._emulator.feed.close()
        return stop
