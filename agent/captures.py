"""Captures under way: at most so many, each stopped cleanly when nobody listens any more."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import structlog

from agent.access import TooMany
from agent.interning import columns, interned
from agent.metrics import Metrics
from agent.requests import CaptureRequest
from agent.sampling import Sampler

_Queue = asyncio.Queue[dict[str, Any] | None]
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Running:
    """One capture under way."""

    task: asyncio.Task[None]
    queue: _Queue

    async def samples(self) -> AsyncIterator[dict[str, Any]]:
        """Yield each sample as soon as it is ready; the capture stops when nobody takes them."""
        try:
            while (sample := await self.queue.get()) is not None:
                yield sample
        finally:
            self.task.cancel()

    @property
    def complete(self) -> bool:
        """Whether every sample was taken."""
        return self.task.done() and not self.task.cancelled() and self.task.exception() is None


class Captures:
    """Runs captures as tasks of their own, so that a dropped connection cuts no clean-up."""

    def __init__(self, sampler: Sampler, metrics: Metrics, limit: int) -> None:
        self._sampler = sampler
        self._metrics = metrics
        self._limit = limit
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, request: CaptureRequest, lead_s: float) -> Running:
        """Start a capture lead_s seconds from now; raises TooMany."""
        if len(self._tasks) >= self._limit:
            raise TooMany(
                f"{len(self._tasks)} captures are already under way on this node.",
                "Try again when one has ended.",
            )
        queue: _Queue = asyncio.Queue()
        task = asyncio.create_task(self._work(request, lead_s, queue))
        self._tasks.add(task)
        self._metrics.running.set(len(self._tasks))
        task.add_done_callback(self._ended)
        return Running(task, queue)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._metrics.running.set(len(self._tasks))
        error = None if task.cancelled() else task.exception()
        if error:
            log.error("capture failed", exc_info=error)
        outcome = "cut" if task.cancelled() else "failed" if error else "ended"
        self._metrics.captures.labels(outcome).inc()

    async def _work(self, request: CaptureRequest, lead_s: float, queue: _Queue) -> None:
        loop = asyncio.get_running_loop()
        start = loop.time() + lead_s
        try:
            for number in range(request.samples):
                await asyncio.sleep(max(0.0, start + number * request.interval_s - loop.time()))
                sample = await self._sampler.sample(
                    request.job_id, number, request.native, request.budget_s
                )
                queue.put_nowait(_as_wanted(sample, request))
        finally:
            queue.put_nowait(None)

    async def stop(self) -> None:
        """Break off all captures and return when every py-spy is gone."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _as_wanted(sample: dict[str, Any], request: CaptureRequest) -> dict[str, Any]:
    if request.columns:
        return columns(sample)
    return interned(sample) if request.interned else sample
