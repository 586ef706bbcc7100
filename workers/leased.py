"""A capture under a lease: however RQ workers die or stall, no two capture one print id at once."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from redis.exceptions import LockNotOwnedError
from redis.lock import Lock

from rankscope.capture import CaptureRequest, Collected, collect
from rankscope.errors import StoreError
from rankscope.store.state import State

LEASE_S = 10.0
"""Shorter than the 15 s after which RQ declares a job abandoned, so that its heir need not wait."""
PATIENCE_S = 20.0
TICK_S = 0.5

Note = Callable[[int], None]
"""Records how many nodes are done; may block for as long as Redis is away."""


def leased_collect(state: State, request: CaptureRequest, note: Note) -> Collected:
    """Collect while holding the print id's lease; raises StoreError when it is held or lost."""
    with state.lock(f"collect:{request.print_id}", LEASE_S, PATIENCE_S) as lock:
        return asyncio.run(_collect(request, _Ticker(lock, note)))


@dataclass(slots=True)
class _Ticker:
    """Extends the lease and notes progress, in a thread of its own: Redis may block it."""

    lock: Lock
    note: Note
    done: int = 0
    noted: int = -1

    def tick(self) -> None:
        """Keep the lease, and note the number of nodes that are done when it has changed."""
        self._extend()
        if self.done != self.noted:
            self.noted = self.done
            self.note(self.noted)

    def _extend(self) -> None:
        try:
            self.lock.reacquire()
        except LockNotOwnedError:
            # It lapsed while Redis or we stood still; nobody else may have taken it since.
            if not self.lock.acquire(blocking=False):
                raise StoreError("Another RQ worker has taken this capture over.") from None

    def set_done(self, done: int) -> None:
        self.done = done

    async def run(self) -> None:
        """Tick until cancelled; an error ends the capture."""
        with ThreadPoolExecutor(1, thread_name_prefix="lease") as thread:
            while True:
                await asyncio.get_running_loop().run_in_executor(thread, self.tick)
                await asyncio.sleep(TICK_S)


async def _collect(request: CaptureRequest, ticker: _Ticker) -> Collected:
    ticking = asyncio.create_task(ticker.run())
    collecting = asyncio.create_task(collect(request, ticker.set_done))
    await asyncio.wait({ticking, collecting}, return_when=asyncio.FIRST_COMPLETED)
    for task in (ticking, collecting):
        if not task.done():
            task.cancel()
    await asyncio.wait({ticking, collecting})
    if not ticking.cancelled():
        ticking.result()
    return collecting.result()
