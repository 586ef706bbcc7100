"""`rankscope worker` as a real tree of processes, to be killed in parts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from redis import Redis
from rq import Queue, Worker


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


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class WorkerTree:
    """A supervisor, its RQ workers, and the processes that run their jobs."""

    supervisor: subprocess.Popen[bytes]
    redis_url: str

    @property
    def pid(self) -> int:
        return self.supervisor.pid

    def busy_workers(self) -> list[int]:
        """Return the RQ workers of the work queue that run a job now.

        RQ knows them by their queue; with setproctitle their command lines tell nothing.
        """
        with Redis.from_url(self.redis_url) as redis:
            queue = Queue("rankscope-work", connection=redis)
            known = {worker.pid for worker in Worker.all(queue=queue)}
        return [pid for pid in children(self.pid) if pid in known and children(pid)]


@contextmanager
def worker_tree(environment: dict[str, str]) -> Iterator[WorkerTree]:
    """Run `rankscope worker` with one process per queue; nothing of it is left behind."""
    command = [sys.executable, "-m", "rankscope", "worker", "--processes", "1"]
    supervisor = subprocess.Popen(command, env=os.environ | environment)
    try:
        yield WorkerTree(supervisor, environment["REDIS_URL"])
    finally:
        kill(tree(supervisor.pid))
        supervisor.wait()
