"""Keeps one RQ worker process per slot: starts it, again when it dies, and stops it softly."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType

import structlog

from rankscope.queueing import Queue
from workers.slot import URL_VARIABLE

TICK_S = 0.2
SHORT_LIFE_S = 5.0
LONGEST_PAUSE_S = 10.0
COLD_S = 10.0
"""After the second SIGTERM RQ kills the running job; what then still lives is killed."""

_log = structlog.get_logger()


@dataclass
class Slot:
    """A place for one RQ worker process."""

    queue: Queue
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    failures: int = 0
    start_at: float = field(default=0.0)

    def is_alive(self) -> bool:
        """Whether its process runs."""
        return self.process is not None and self.process.poll() is None

    def start(self, url: str, *, burst: bool) -> None:
        """Start the process, in a group of its own so that Ctrl-C reaches only the supervisor."""
        command = [sys.executable, "-m", "workers.slot", self.queue.value, str(os.getpid())]
        environment = {**os.environ, URL_VARIABLE: url}
        self.process = subprocess.Popen(
            [*command, *(["--burst"] if burst else [])], env=environment, process_group=0
        )
        self.started_at = time.monotonic()
        _log.info("RQ worker started", queue=self.queue.value, pid=self.process.pid)

    def note_death(self) -> None:
        """Plan the next start: at once after a long life, with growing pauses after short ones."""
        assert self.process is not None  # noqa: S101 - the caller saw it die
        lived = time.monotonic() - self.started_at
        self.failures = self.failures + 1 if lived < SHORT_LIFE_S else 0
        pause = min(LONGEST_PAUSE_S, 0.5 * 2**self.failures) if self.failures else 0.0
        self.start_at = time.monotonic() + pause
        code = self.process.returncode
        _log.warning("RQ worker ended", queue=self.queue.value, code=code, again_in_s=pause)
        self.process = None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process if it lives."""
        if self.is_alive() and self.process is not None:
            self.process.send_signal(number)


class Supervisor:
    """Runs the slots until told to stop: a first signal waits for running jobs, a second not."""

    def __init__(
        self, slots: Sequence[Slot], url: str, chores: Callable[[], None], grace_s: float
    ) -> None:
        self._slots = slots
        self._url = url
        self._chores = chores
        self._grace_s = grace_s
        self._stop_signals = 0

    def run(self) -> None:
        """Keep all slots filled until SIGTERM or SIGINT; then stop them and return."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        while not self._stop_signals:
            for slot in self._slots:
                self._tend(slot)
            self._chores()
            time.sleep(TICK_S)
        self._stop()

    def run_burst(self) -> int:
        """Run every slot once until its queue is empty; return the worst exit code."""
        for slot in self._slots:
            slot.start(self._url, burst=True)
        return max(slot.process.wait() for slot in self._slots if slot.process)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self._stop_signals += 1

    def _tend(self, slot: Slot) -> None:
        if slot.process is not None and not slot.is_alive():
            slot.note_death()
        if slot.process is None and time.monotonic() >= slot.start_at:
            slot.start(self._url, burst=False)

    def _stop(self) -> None:
        """Stop warmly within the grace time, then coldly, at last by force."""
        _log.info("stopping", grace_s=self._grace_s)
        self._send_all(signal.SIGTERM)
        self._wait(self._grace_s, patient=True)
        if self._alive():
            self._send_all(signal.SIGTERM)
            self._wait(COLD_S, patient=False)
        self._send_all(signal.SIGKILL)
        for slot in self._slots:
            if slot.process is not None:
                slot.process.wait()

    def _send_all(self, number: signal.Signals) -> None:
        for slot in self._slots:
            slot.signal(number)

    def _alive(self) -> bool:
        return any(slot.is_alive() for slot in self._slots)

    def _wait(self, seconds: float, *, patient: bool) -> None:
        deadline = time.monotonic() + seconds
        while self._alive() and time.monotonic() < deadline:
            if patient and self._stop_signals > 1:
                return
            time.sleep(TICK_S)
