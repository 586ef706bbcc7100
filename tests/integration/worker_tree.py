"""`rankscope worker` as a real tree of processes, to be killed in parts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path


def children(pid: int) -> list[int]:
    """Return the children of a process, none when it has gone."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*"):
        with suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def tree(pid: int) -> list[int]:
    """Return a process and all below it."""
    return [pid, *(below for child in children(pid) for below in tree(child))]


def command_line(pid: int) -> list[str]:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    return []


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class WorkerTree:
    """A supervisor, its RQ workers, and the processes that run their jobs."""

    supervisor: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.supervisor.pid

    def busy_workers(self) -> list[int]:
        """Return the RQ workers of the work queue that run a job now."""
        workers = [pid for pid in children(self.pid) if "rankscope-work" in command_line(pid)]
        return [pid for pid in workers if children(pid)]


@contextmanager
def worker_tree(environment: dict[str, str]) -> Iterator[WorkerTree]:
    """Run `rankscope worker` with one process per queue; nothing of it is left behind."""
    command = [sys.executable, "-m", "rankscope", "worker", "--processes", "1"]
    supervisor = subprocess.Popen(command, env=os.environ | environment)
    try:
        yield WorkerTree(supervisor)
    finally:
        kill(tree(supervisor.pid))
        supervisor.wait()
