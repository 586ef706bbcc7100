"""The demo with all of its processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rankscope.store.server import start_server
from sandbox.demo.parts import WORLD_SIZE

PARTS = {"redis", "emulator", "bot", "worker", "agent-node-a", "agent-node-b", "training", "watch"}
Start = Callable[..., subprocess.Popen[str]]

pytestmark = [pytest.mark.integration, pytest.mark.timeout(300)]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started = []

    def demo(*options: str, **env: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "rankscope", "demo", "--lang", "en"]
        command += ["--keep-dir", str(tmp_path / "run"), *options]
        clean = {name: value for name, value in os.environ.items() if "REDIS_URL" not in name}
        process = subprocess.Popen(
            command,
            env={**clean, "PYTHONUNBUFFERED": "1", **env},
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        started.append(process)
        return process

    yield demo
    for process in started:
        with process:
            process.terminate()


def started_under(folder: Path) -> set[int]:
    """Return the processes that work in a folder or were told of it."""
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            told = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            if told and (str(folder).encode() in told or in_folder(entry, folder)):
                found.add(int(entry.name))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


def in_folder(entry: Path, folder: Path) -> bool:
    return (entry / "cwd").resolve().is_relative_to(folder)


def lines_until(process: subprocess.Popen[str], words: str) -> None:
    assert process.stdout
    seen = []
    for line in process.stdout:
        seen.append(line)
        if words in line:
            return
    pytest.fail("".join(seen))


@pytest.mark.parametrize("rank", ["0", "6"])
def test_the_stuck_rank_is_named_last_and_nothing_is_left(
    start: Start, tmp_path: Path, rank: str
) -> None:
    process = start("--once", "--fault", "fifo", "--fault-rank", rank)

    output, _ = process.communicate()

    assert process.returncode == 0, output
    last = output.splitlines()[-2]
    assert last.startswith(f"✓ The stuck rank: rank {rank} on node-")
    assert last.endswith("No other was named, and the comparison says that it is frozen.")
    for words in ("Two captures compared", ">>> /capture jo-", "Did you mean /capture?"):
        assert words in output
    assert not started_under(tmp_path / "run")


def test_a_healthy_job_names_nobody(start: Start) -> None:
    process = start("--once", "--fault", "none")

    output, _ = process.communicate()

    assert process.returncode == 0, output
    assert f"nobody was named: all {WORLD_SIZE} ranks are at work" in output.splitlines()[-2]


def test_a_slow_job_gets_a_card_with_its_step_times(start: Start) -> None:
    process = start("--once", "--fault", "slow")

    output, _ = process.communicate()

    assert process.returncode == 0, output
    assert "Time per step" in output
    assert "times the baseline" in output


def test_a_job_out_of_memory_gets_a_card_with_its_first_error(start: Start) -> None:
    process = start("--once", "--fault", "oom", "--fault-rank", "5")

    output, _ = process.communicate()

    assert process.returncode == 0, output
    assert "First error" in output
    assert output.splitlines()[-2].startswith("✓ The card of the failed job shows its first error")


def test_a_redis_that_is_given_is_used_and_left_alone(start: Start, tmp_path: Path) -> None:
    server = start_server(tmp_path / "own")
    try:
        process = start("--fault", "none", REDIS_URL=server.url)
        lines_until(process, "Ctrl-C stops everything.")
        process.send_signal(signal.SIGINT)
        process.communicate()

        assert process.returncode == 0
        assert server.is_alive()
        assert not (tmp_path / "run" / "data" / "redis").exists()
    finally:
        server.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_the_demo(start: Start, tmp_path: Path, number: signal.Signals) -> None:
    process = start("--fault", "sigstop")
    lines_until(process, "Ctrl-C stops everything.")
    training_log = tmp_path / "run" / "train.log"
    while not training_log.exists() or "iteration" not in training_log.read_text():
        time.sleep(0.1)
    logs = {log.stem for log in (tmp_path / "run" / "logs").glob("*.log")}
    family = started_under(tmp_path / "run")

    process.send_signal(number)
    process.communicate()

    assert logs == PARTS
    assert len(family) > 2 * WORLD_SIZE + len(PARTS)
    while started_under(tmp_path / "run"):
        time.sleep(0.1)


def test_a_part_that_dies_is_named_and_the_rest_is_stopped(start: Start, tmp_path: Path) -> None:
    process = start("--fault", "none")
    lines_until(process, "Ctrl-C stops everything.")
    (bot,) = (pid for pid in started_under(tmp_path / "run") if b"\0bot\0" in command_of(pid))
    os.kill(bot, signal.SIGKILL)

    output, _ = process.communicate()

    assert process.returncode == 1
    assert "✗ bot ended by itself (SIGKILL)." in output
    assert not started_under(tmp_path / "run")


def command_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
