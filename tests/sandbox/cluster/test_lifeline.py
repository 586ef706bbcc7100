import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.cluster.lifeline import tied

SPAWN = """
import subprocess, sys
from sandbox.cluster.lifeline import tied
child = subprocess.Popen(tied(["sleep", "600"]))
print(child.pid, flush=True)
sys.stdin.read()
"""


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_for(pid: int, comm: str) -> None:
    while Path(f"/proc/{pid}/comm").read_text().strip() != comm:
        time.sleep(0.01)


@pytest.mark.integration
def test_a_tied_command_ends_when_its_parent_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SPAWN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout
        child = int(parent.stdout.readline())
        wait_for(child, "sleep")
        parent.kill()

    while not is_gone(child):
        time.sleep(0.01)


def test_a_command_whose_parent_has_ended_is_not_started() -> None:
    command = tied(["sleep", "600"])
    command[command.index(str(os.getpid()))] = "1"

    done = subprocess.run(command, check=False)

    assert done.returncode == -signal.SIGKILL
