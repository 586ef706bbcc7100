"""How one process is dumped: nonblocking, checked, repeated; stopped only as a last resort."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace

import msgspec

from agent.outcome import RETRIED, Dump, Mode, Reason, Threads, first_lines, reason_of
from agent.procfs import (
    PROC,
    has_ended,
    inner_pid,
    may_be_stopped,
    read_tasks,
    read_text,
    same_process,
)
from agent.pyspy import Answer, run_py_spy
from agent.scan import Key
from agent.settings import AgentSettings
from agent.threads import is_plausible, outermost, without_doubles

TRIES = 3
PAUSE_BETWEEN_S = 0.05
BLOCKING_S = 2.0
"""The longest that a last blocking try may stop a process."""
NATIVE_AT_ONCE = 2  # one takes up to 350 MB


class Dumper:
    """Dumps processes, few at a time and never one process twice at once."""

    def __init__(self, binary: str, settings: AgentSettings) -> None:
        self.binary = binary
        self.settings = settings
        self._slots = asyncio.Semaphore(settings.concurrency)
        self._native = asyncio.Semaphore(NATIVE_AT_ONCE)
        self._locks: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._users: Counter[Key] = Counter()

    async def dump(self, key: Key, *, native: bool = False) -> Dump:
        """Dump the process that has this PID and start time; never raises for what it finds."""
        async with self._alone(key), self._slots:
            if not native:
                return await self._dump(key, native=False)
            async with self._native:
                return await self._dump(key, native=True)

    @asynccontextmanager
    async def _alone(self, key: Key) -> AsyncIterator[None]:
        self._users[key] += 1
        try:
            async with self._locks[key]:
                yield
        finally:
            self._users[key] -= 1
            if not self._users[key]:
                del self._users[key], self._locks[key]

    async def _dump(self, key: Key, *, native: bool) -> Dump:
        timeout = self.settings.native_timeout_s if native else self.settings.process_timeout_s
        if not same_process(*key):
            return Dump(reason=Reason.GONE)
        attempt = _Attempts(self.binary, key, time.monotonic() + timeout)
        for mode in _plan(native=native):
            if await attempt.made(mode):
                break
        return attempt.result()


def _plan(*, native: bool) -> Iterator[Mode]:
    if native:
        yield Mode.NATIVE
    yield from (Mode.NONBLOCKING,) * TRIES
    yield Mode.BLOCKING


class _Attempts:
    """The tries on one process, until one is good or no further one can help."""

    def __init__(self, binary: str, key: Key, end: float) -> None:
        self.binary = binary
        self.pid, self.start = key
        self.end = end
        self.count = 0
        self.best: Dump | None = None
        self.failure = Dump(reason=Reason.TIMEOUT)
        self.roots: list[str | None] = []
        status = read_text(f"{PROC}/{self.pid}/status")
        self.inner_pid = inner_pid(status, self.pid)

    async def made(self, mode: Mode) -> bool:
        """Try once; True when the result stands."""
        left = self.end - time.monotonic()
        if left <= 0:
            return True
        if mode is not Mode.NONBLOCKING and not self._may_stop():
            return False
        if self.count:
            await asyncio.sleep(min(PAUSE_BETWEEN_S, left))
        self.count += 1
        return self._judge(await self._run(mode, left))

    def _may_stop(self) -> bool:
        return may_be_stopped(read_tasks(self.pid))

    async def _run(self, mode: Mode, left: float) -> Dump:
        limit = min(left, BLOCKING_S) if mode is Mode.BLOCKING else left
        started = time.monotonic()
        try:
            answer = await run_py_spy(self.binary, self.pid, mode, limit)
        except OSError as error:
            return Dump(mode, reason=Reason.NO_PY_SPY, detail=str(error))
        pause = 0.0 if mode is Mode.NONBLOCKING else (time.monotonic() - started) * 1000
        dump = replace(read_answer(answer, mode), pause_ms=round(pause, 1))
        if not same_process(self.pid, self.start):
            return Dump(mode, reason=Reason.GONE)
        # What py-spy says of a process that ends meanwhile depends on how far it has come.
        ended = dump.threads is None and has_ended(self.pid)
        return Dump(mode, reason=Reason.ZOMBIE) if ended else dump

    def _judge(self, dump: Dump) -> bool:
        if dump.threads is None:
            self.failure = dump
            # What native frames cannot give, plain ones may.
            return dump.mode is not Mode.NATIVE and dump.reason not in RETRIED
        root = outermost(dump.threads, self.inner_pid)
        # A stopped process cannot change meanwhile. Embedded interpreters begin elsewhere: what is
        # seen twice is not torn.
        stopped = dump.mode is not Mode.NONBLOCKING
        stands = stopped or is_plausible(root) or root in self.roots
        self.roots.append(root)
        self.best = replace(dump, torn=not stands)
        return stands

    def result(self) -> Dump:
        """Return the best dump, else why there is none."""
        return replace(self.best or self.failure, attempts=self.count)


def read_answer(answer: Answer, mode: Mode) -> Dump:
    """Turn py-spy's output into threads or a reason."""
    if answer.returncode is None:
        return Dump(mode, reason=Reason.TIMEOUT, detail=answer.stderr)
    if answer.returncode != 0:
        detail = first_lines(answer.stderr)
        return Dump(mode, reason=reason_of(answer.stderr), detail=detail)
    try:
        threads = msgspec.json.decode(answer.stdout, type=Threads)
    except msgspec.MsgspecError as error:
        return Dump(mode, reason=Reason.FAILED, detail=str(error))
    return Dump(mode, threads=without_doubles(threads))
