"""Real training jobs, started as people start them, and their certain end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from agent.environment import environment, read_maps
from agent.procfs import all_stats, read_stat
from tests.agent.targets import py_spies_of, stopped_tasks, wait_until

PROGRAM = Path(__file__).parent / "programs/ddp.py"
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
READY_S = 90


class Job:
    """One job; every process of it carries the job's id, however it was started."""

    def __init__(self, name: str, folder: Path) -> None:
        self.id = f"jo-{name}-{os.getpid()}"
        self.folder = folder
        self.started: list[subprocess.Popen[bytes]] = []
        self.stopped_on_purpose: set[int] = set()

    def start(self, *arguments: str, prefix: Iterable[str] = (), **variables: Any) -> int:
        """Start one Python command of the job and return its PID."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*prefix, sys.executable, *arguments],
                env={**self._environment, **{name: str(v) for name, v in variables.items()}},
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.started.append(process)
        return process.pid

    @property
    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "TORCHINDUCTOR_CACHE_DIR": str(self.folder / "cache"),
            "TORCHINDUCTOR_COMPILE_THREADS": "2",
            "OMP_NUM_THREADS": "1",
            "RANKSCOPE_JOB_ID": self.id,
        }

    @property
    def log(self) -> Path:
        """What the job printed."""
        return self.folder / "log"

    def program(self, *options: str) -> tuple[str, ...]:
        """Return the training program's command line."""
        return str(PROGRAM), "--folder", str(self.folder), *options

    def wait_until_ready(self, ranks: int) -> None:
        """Wait until every rank has done its first step."""

        def is_ready() -> bool:
            assert all(p.poll() is None for p in self.started), self.log.read_text()
            return all((self.folder / f"ready-{rank}").exists() for rank in range(ranks))

        wait_until(is_ready, READY_S)

    def pids(self) -> set[int]:
        """Return all living processes that carry the job's id."""
        return {s.pid for s in all_stats() if s.state not in "ZX" and self._is_ours(s.pid)}

    def _is_ours(self, pid: int) -> bool:
        if pid == os.getpid():
            return False
        maps = read_maps(pid)
        return bool(maps) and environment(pid, maps).get("RANKSCOPE_JOB_ID") == self.id

    def left_stopped(self) -> set[int]:
        """Return processes that a dump left stopped."""
        return set(stopped_tasks(self.pids())) - self.stopped_on_purpose

    def py_spies(self) -> list[int]:
        """Return py-spy processes that work on the job."""
        return py_spies_of(self.pids())

    def stop(self, pid: int) -> None:
        """Stop a process as SIGSTOP does."""
        self.stopped_on_purpose.add(pid)
        os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: (stat := read_stat(pid)) is not None and stat.state == "T")

    def resume(self, pid: int) -> None:
        """Let a stopped process go on."""
        os.kill(pid, signal.SIGCONT)
        self.stopped_on_purpose.discard(pid)

    def end(self) -> None:
        """Kill all processes of the job, in whatever state, and collect what is ours."""

        def are_gone() -> bool:
            for pid in (pids := self.pids()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            return not pids

        wait_until(are_gone)
        for process in self.started:
            process.wait()


@contextmanager
def job(name: str, folder: Path) -> Iterator[Job]:
    """Give a job that ends with the block."""
    (folder / name).mkdir()
    started = Job(name, folder / name)
    try:
        yield started
    finally:
        started.end()


def of_role(sample: dict[str, Any], role: str) -> list[dict[str, Any]]:
    """Return a sample's processes of one role."""
    return [process for process in sample["processes"] if process["role"] == role]


def ranks_of(sample: dict[str, Any], role: str) -> list[int | None]:
    """Return the ranks of a sample's processes of one role, in order."""
    return sorted(process["rank"] for process in of_role(sample, role))
