"""The web server, made quiet: an agent is idle nearly always, beside those that need the CPU."""

import asyncio
import contextlib
import gc
import sys

import uvicorn

TICK_S = 1.0


class CalmServer(uvicorn.Server):
    """Looks for its end once a second; uvicorn's ten times cost more than all heartbeats do."""

    async def main_loop(self) -> None:
        """Wait until a signal has asked for the end."""
        while not await self.on_tick(0):  # noqa: ASYNC110 (uvicorn knows no event for it)
            await asyncio.sleep(TICK_S)


def run(config: uvicorn.Config) -> None:
    """Serve until SIGTERM or SIGINT; exits with 3, as uvicorn does, when the start fails."""
    server = CalmServer(config)
    # What is loaded by now stays; Python's search for garbage need not walk it at each capture.
    gc.freeze()
    # After its orderly end uvicorn raises the signal once more.
    with contextlib.suppress(KeyboardInterrupt):
        server.run()
    if not server.started:
        sys.exit(3)
