"""The supervisor with small processes of ours in the place of the real one."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.listen_supervisor import LONG_LIFE_S, Pace
from tests.sandbox.feishu.waiting import until

SUPERVISE = """
import sys
from pathlib import Path
import bot.listen_beat as beat
import bot.listen_supervisor as supervisor
from bot.listen_health import Health
beat.SILENT_S = beat.START_S = 0.5
supervisor.STOP_S = 1.0
program, path = sys.argv[1:]
command = lambda fd: [sys.executable, "-c", program, str(fd)]
made = supervisor.Supervisor("redis://", supervisor.Pace(3), Health(Path(path)), command)
sys.exit(made.run())
"""
BEAT = r"""
import os, sys, time
def beat(**more):
    import json
    os.write(int(sys.argv[1]), json.dumps({"connected": True, **more}).encode() + b"\n")
"""


class Supervised:
    def __init__(self, program: str, path: Path) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [sys.executable, "-c", SUPERVISE, BEAT + program, str(path)],
            stderr=subprocess.PIPE,
            text=True,
        )

    def standing(self) -> dict[str, Any]:
        try:
            read: dict[str, Any] = json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        return read

    def listener(self) -> int:
        """The process that is connected now, 0 for none."""
        standing = self.standing()
        return int(standing["listener"]) if standing.get("connected") else 0

    def replaced(self) -> int:
        return int(self.standing().get("replaced", 0))

    def end(self) -> str:
        self.process.terminate()
        _, said = self.process.communicate(timeout=30)
        return said


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "listen.json"


@pytest.fixture
def running() -> Iterator[list[Supervised]]:
    made: list[Supervised] = []
    yield made
    for one in made:
        one.end()


def test_a_process_that_is_killed_is_replaced(path: Path, running: list[Supervised]) -> None:
    one = Supervised("while True: beat(); time.sleep(0.1)", path)
    running.append(one)
    first = until(one.listener, 30)
    os.kill(first, signal.SIGKILL)
    until(one.replaced, 30)

    assert until(one.listener, 30) != first
    assert "SIGKILL" in one.standing()["reason"]


def test_a_process_that_hangs_is_replaced(path: Path, running: list[Supervised]) -> None:
    one = Supervised("beat(); signal = __import__('signal'); signal.pause()", path)
    running.append(one)
    until(one.replaced, 30)

    assert "said nothing" in one.standing()["reason"]


def test_a_process_that_does_not_listen_is_killed_at_the_end(
    path: Path, running: list[Supervised]
) -> None:
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    one = Supervised(deaf + "while True: beat(); time.sleep(0.1)", path)
    running.append(one)
    listener = until(one.listener, 30)
    one.end()

    assert one.process.returncode == 0
    assert not Path(f"/proc/{listener}").exists()
    assert one.standing()["problem"] == "stopped"


def test_refused_from_the_start_is_final(path: Path, running: list[Supervised]) -> None:
    one = Supervised("beat(connected=False, problem='wrong secret'); sys.exit(2)", path)
    running.append(one)

    assert one.process.wait(30) == 2
    assert one.standing()["problem"] == "wrong secret"


def test_refused_after_a_connection_is_tried_again(path: Path, running: list[Supervised]) -> None:
    one = Supervised("beat(); time.sleep(0.3); sys.exit(2)", path)
    running.append(one)
    until(lambda: one.replaced() >= 2, 30)

    assert one.process.poll() is None


def test_pauses_grow_and_starts_are_counted() -> None:
    pace, now = Pace(most_a_minute=4), time.monotonic()
    pauses = []
    for _ in range(5):
        pace.started(now)
        pauses.append(pace.pause_s(now, lived_s=0.0))

    assert pauses == [1.0, 2.0, 4.0, 60.0, 60.0]
    assert pace.pause_s(now + 61, lived_s=LONG_LIFE_S) == 0.0
