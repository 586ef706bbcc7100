"""Keeps one process with a long connection alive: starts it, listens to its beats, replaces it."""

import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

import msgspec
import structlog

from bot.listen_beat import URL_VARIABLE, Beat, Ending, Pulse
from bot.listen_health import Health

TICK_S: Final = 0.5
STOP_S: Final = 8.0
LONG_LIFE_S: Final = 60.0
LONGEST_PAUSE_S: Final = 60.0
MINUTE_S: Final = 60.0
LONGEST_LINE: Final = 65_536

_log = structlog.get_logger()

Command = Callable[[int], list[str]]


def child_command(beats_fd: int) -> list[str]:
    """Return the command of the process that holds the connection."""
    return [sys.executable, "-m", "bot.listen_child", str(beats_fd), str(os.getpid())]


@dataclass(slots=True)
class Child:
    """The running process, its end of the pipe, and what it has said."""

    process: subprocess.Popen[bytes]
    beats_fd: int
    pulse: Pulse
    unread: bytes = b""

    def listen(self, seconds: float) -> None:
        """Wait for beats, but not longer than some seconds."""
        readable, _, _ = select.select([self.beats_fd], [], [], seconds)
        if not readable:
            return
        read = os.read(self.beats_fd, LONGEST_LINE)
        if not read:  # It has closed its end: it is about to end, or will soon count as silent.
            time.sleep(seconds)
        *lines, rest = (self.unread + read).split(b"\n")
        self.unread = rest[-LONGEST_LINE:]
        for line in lines:
            self.pulse.feel(msgspec.json.decode(line, type=Beat), time.monotonic())

    def stop(self, patience_s: float) -> int:
        """Ask it to end, kill it when it does not; return its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
        os.close(self.beats_fd)
        return self.process.wait()


@dataclass(slots=True)
class Pace:
    """When the process may be started again: soon, later each time, and so often a minute."""

    most_a_minute: int
    starts: deque[float] = field(default_factory=deque)
    failures: int = 0

    def started(self, now: float) -> None:
        """Count a start."""
        self.starts.append(now)

    def pause_s(self, now: float, lived_s: float) -> float:
        """Return how long to wait after an end."""
        self.failures = 0 if lived_s >= LONG_LIFE_S else self.failures + 1
        while self.starts and now - self.starts[0] >= MINUTE_S:
            self.starts.popleft()
        pause = min(LONGEST_PAUSE_S, 2.0 ** (self.failures - 1)) if self.failures else 0.0
        if len(self.starts) >= self.most_a_minute:
            pause = max(pause, self.starts[-self.most_a_minute] + MINUTE_S - now)
        return pause


class Supervisor:
    """Runs until SIGTERM or SIGINT, or until Feishu refuses the credentials from the start."""

    def __init__(
        self,
        url: str,
        pace: Pace,
        health: Health,
        command: Command = child_command,
    ) -> None:
        self._url = url
        self._pace = pace
        self._health = health
        self._command = command
        self._stopping = False
        self._was_connected = False

    def run(self) -> Ending:
        """Keep the process alive; return why it ended for good."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        while not self.stopping():
            child = self._start()
            reason = self._watch(child)
            lived_s = time.monotonic() - child.pulse.started_at
            code = child.stop(STOP_S if self.stopping() else 1.0)
            if self.stopping():
                break
            if code == Ending.REFUSED and not self._was_connected:
                self._health.ended(_problem(child))
                return Ending.REFUSED
            pause_s = self._pace.pause_s(time.monotonic(), lived_s)
            _log.warning("listener replaced", reason=reason, code=code, again_in_s=pause_s)
            self._health.replaced(reason)
            self._wait(pause_s)
        self._health.ended("stopped")
        return Ending.ASKED

    def _start(self) -> Child:
        reading, writing = os.pipe()
        process = subprocess.Popen(
            self._command(writing),
            env={**os.environ, URL_VARIABLE: self._url},
            pass_fds=[writing],
            process_group=0,  # Ctrl-C reaches only us.
        )
        os.close(writing)
        now = time.monotonic()
        self._pace.started(now)
        _log.info("listener started", pid=process.pid)
        return Child(process, reading, Pulse(now))

    def _watch(self, child: Child) -> str:
        """Return why the process must be replaced, once it must."""
        while not self.stopping():
            child.listen(TICK_S)
            self._was_connected = self._was_connected or child.pulse.connected
            self._health.write(child.process.pid, child.pulse.last)
            if child.process.poll() is not None:
                child.listen(0)
                return f"it ended by itself ({_ending(child.process.returncode)})"
            if trouble := child.pulse.trouble(time.monotonic()):
                return trouble
        return "stopped"

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self.stopping() and time.monotonic() < until:
            time.sleep(min(TICK_S, max(0.0, until - time.monotonic())))

    def stopping(self) -> bool:
        """Whether a signal came."""
        return self._stopping

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stopping = True


def _problem(child: Child) -> str:
    return child.pulse.last.problem if child.pulse.last else ""


def _ending(code: int) -> str:
    return f"exit code {code}" if code >= 0 else signal.Signals(-code).name
