"""A small process supervisor: every part has its own process, session, environment and log file.

Parts end in the reverse order of their start when the supervisor is left, and with it whatever
happens, since each asks the kernel for that (sandbox.cluster.lifeline).
"""

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from rankscope.errors import RankscopeError
from rankscope.model.text import Text
from rankscope.text import say
from sandbox.cluster.lifeline import tied

STOP_S = 10.0
READY_S = 60.0
POLL_S = 0.1
TAIL_LINES = 12
HALF_LINE = 300
MOST_RESTARTS = 20
UNUSABLE = 2


class PartFailed(RankscopeError):
    """A part ended by itself, or did not become ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One process; health_url answers 200 when it is ready, an empty one means at once.

    A part with `restarts` is started again when it ends; one that `may_end` may end by itself; one
    that `may_be_lost` too, which people are told; one not `tied` sees to its own end.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(repr=False)
    health_url: str = ""
    restarts: bool = False
    may_end: bool = False
    may_be_lost: bool = False
    tied: bool = True


@dataclass(slots=True)
class _Running:
    part: Part
    process: subprocess.Popen[bytes]
    restarts: int = 0
    is_lost: bool = False

    def may_restart(self, code: int) -> bool:
        """Whether a new start may help after this exit code; 2 says that it cannot work."""
        return self.part.restarts and code != UNUSABLE and self.restarts < MOST_RESTARTS


class Supervisor:
    """Starts parts, looks after them and stops them; `tell` hears what people may want to know."""

    def __init__(self, folder: Path, tell: Callable[[Text], None]) -> None:
        self._folder = folder
        self._tell = tell
        self._running: list[_Running] = []
        folder.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def log_of(self, name: str) -> Path:
        """Return the log file of a part."""
        return self._folder / f"{name}.log"

    def start(self, part: Part) -> None:
        """Start a part without waiting for it."""
        self._running.append(_Running(part, self._spawn(part)))

    def pid_of(self, name: str) -> int:
        """Return the PID of a part that was started."""
        return next(one.process.pid for one in self._running if one.part.name == name)

    def ending_of(self, name: str) -> int | None:
        """Return the exit code of a part that has ended, None while it runs."""
        return next(one.process.poll() for one in self._running if one.part.name == name)

    def _spawn(self, part: Part) -> subprocess.Popen[bytes]:
        command = tied(part.command) if part.tied else list(part.command)
        with self.log_of(part.name).open("ab") as log:
            return subprocess.Popen(
                command,
                env=dict(part.env),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_ready(self, timeout_s: float = READY_S) -> None:
        """Wait until all parts are ready; raises PartFailed."""
        end = time.monotonic() + timeout_s
        waiting = [one for one in self._running if one.part.health_url]
        while waiting:
            self.check()
            waiting = [one for one in waiting if not is_healthy(one.part.health_url)]
            if waiting and time.monotonic() > end:
                raise self._failure(waiting[0].part, f"is not ready after {timeout_s:.0f} s")
            time.sleep(POLL_S)

    def check(self) -> None:
        """Restart parts that ended and may be restarted; raises PartFailed for any other."""
        for one in self._running:
            code = one.process.poll()
            if code is None or one.part.may_end or one.is_lost:
                continue
            if one.part.may_be_lost and code != UNUSABLE:
                one.is_lost = True
                self._tell(say("demo-lost", name=one.part.name, ending=ending(code)))
                continue
            if not one.may_restart(code):
                raise self._failure(one.part, f"ended by itself ({ending(code)})")
            one.restarts += 1
            self._tell(say("demo-restart", name=one.part.name, ending=ending(code)))
            kill_session(one.process.pid)
            one.process = self._spawn(one.part)

    def _failure(self, part: Part, what: str) -> PartFailed:
        path = self.log_of(part.name)
        return PartFailed(f"{part.name} {what}.", f"The end of {path}:\n{tail(path)}")

    def stop(self) -> None:
        """Stop all parts, the last one first."""
        while self._running:
            stop_process(self._running.pop().process)


def stop_process(process: subprocess.Popen[bytes]) -> None:
    """Ask a session's leader to end, and kill what is left of the session after a while."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
    kill_session(process.pid)
    process.wait()


def kill_session(leader: int) -> None:
    """Kill what is left of the process group that a part has led."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return


def is_healthy(url: str) -> bool:
    """Whether a health check answers 200."""
    try:
        return httpx.get(url, timeout=1.0, trust_env=False).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def ending(code: int) -> str:
    """Describe how a process ended."""
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name


def tail(path: Path, lines: int = TAIL_LINES) -> str:
    """Return the last lines of a log."""
    with path.open(encoding="utf-8", errors="replace") as stream:
        return "\n".join(map(_short, deque(stream, lines))) or "(empty)"


def _short(line: str) -> str:
    """Return a line without its end, and a long one without its middle: a traceback ends in why."""
    text = line.rstrip("\n")
    return text if len(text) <= 2 * HALF_LINE else f"{text[:HALF_LINE]} … {text[-HALF_LINE:]}"
