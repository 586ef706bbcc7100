"""Starts a real torch/gloo job, captures it with the real agent, and scrubs what it gave.

Needs torch (pip install 'rankscope[torch]') and the right to read other processes' memory.
"""

import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from agent.environment import environment, read_maps
from agent.procfs import all_stats
from tests.agent.client import Client
from tests.agent.conftest import SECRET, Server, agent_settings, free_port
from tests.suite.real.jobs import RealJob

PROGRAMS = Path(__file__).parent / "programs"
READY_S = 180.0
INTERVAL_S = 2.0
PRINT_ID = "1780890495107774003"
_PLACES = (
    (sysconfig.get_path("purelib"), "/opt/venv/lib/python3.11/site-packages"),
    (sysconfig.get_path("stdlib"), "/usr/lib/python3.11"),
    (sys.prefix, "/opt/venv"),
    (str(Path(sys.executable).resolve()), "/usr/bin/python3"),
)


class NotReady(Exception):
    """A job ended, or did not come to where it should be captured."""


class Started:
    """A job that runs, with one job id per pretended node, so that each agent sees its own."""

    def __init__(self, job: RealJob, folder: Path) -> None:
        self.job = job
        self.folder = folder
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self._port = free_port()

    def start(self) -> None:
        """Start every rank that is not absent."""
        for rank in range(self.job.ranks):
            if rank not in self.job.absent:
                self.processes[rank] = self._start(rank)

    def _start(self, rank: int) -> subprocess.Popen[bytes]:
        job, per_node = self.job, -(-self.job.ranks // self.job.nodes)
        command = [sys.executable, "-W", "ignore", str(self.folder / f"{job.program}.py")]
        command += ["--folder", str(self.folder)]
        command += ["--tensor-parallel-size", str(job.tensor)] if job.tensor > 1 else []
        command += ["--steps", str(job.steps)] if job.steps else []
        env = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "OMP_NUM_THREADS": "1",
            "RANKSCOPE_JOB_ID": self.job_id(rank // per_node), "RANK": str(rank),
            "LOCAL_RANK": str(rank % per_node), "WORLD_SIZE": str(job.ranks),
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self._port),
            # No argument and no variable that agents show: the capture must not hold its truth.
            "TROUBLE": job.trouble if rank in job.at else "",
        }  # fmt: skip
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command, env=env, stdin=subprocess.PIPE, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def job_id(self, node: int) -> str:
        """Return the id under which the ranks of a node run."""
        return f"jo-real-{os.getpid()}-{self.job.name}-{node}"

    def marked(self, what: str) -> int:
        """Return how many ranks left a mark."""
        return len(list(self.folder.glob(f"{what}-*")))

    def wait_for(self, what: str, count: int) -> None:
        """Wait until so many ranks have left a mark; raises NotReady."""
        end = time.monotonic() + READY_S
        while self.marked(what) < count:
            if time.monotonic() > end or all(p.poll() is not None for p in self.processes.values()):
                log = (self.folder / "log").read_text(errors="replace")[-2000:]
                raise NotReady(f"{self.job.name}: only {self.marked(what)} are {what}\n{log}")
            time.sleep(0.1)

    def workers_of(self, rank: int) -> list[int]:
        """Return the children of a rank."""
        return [s.pid for s in all_stats() if s.ppid == self.processes[rank].pid]

    def end(self) -> None:
        """Kill every process of the job and collect what is ours."""
        for process in self.processes.values():
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        ids = {self.job_id(node) for node in range(self.job.nodes)}
        for stat in all_stats():
            maps = read_maps(stat.pid) if stat.pid != os.getpid() else None
            if maps and environment(stat.pid, maps).get("RANKSCOPE_JOB_ID") in ids:
                with suppress(ProcessLookupError):
                    os.kill(stat.pid, signal.SIGKILL)
        for process in self.processes.values():
            process.wait()
            if process.stdin:
                process.stdin.close()


@contextmanager
def running(job: RealJob) -> Iterator[Started]:
    """Give a job that ends with the block."""
    with tempfile.TemporaryDirectory(prefix="real-job-") as name:
        folder = Path(name)
        for path in PROGRAMS.glob("*.py"):
            shutil.copy(path, folder)
        os.mkfifo(folder / "part-0003")
        started = Started(job, folder)
        with _claimed(folder / "claim"):
            started.start()
            try:
                yield started
            finally:
                started.end()


@contextmanager
def _claimed(path: Path) -> Iterator[None]:
    """Hold a file lock from another process, as a rank of another job would."""
    command = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print();"
    command += "sys.stdout.flush(); time.sleep(3600)"
    holder = subprocess.Popen(
        [sys.executable, "-S", "-c", command, str(path)], stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        yield
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()


@contextmanager
def agents(nodes: int) -> Iterator[list[Client]]:
    """Give one real agent per node, each behind its own port."""
    with ExitStack() as stack:
        found = []
        for number in range(nodes):
            settings = agent_settings(port=free_port(), node=f"gpu{number + 1:02d}")
            server = Server(settings)
            server.start()
            client = Client(f"http://127.0.0.1:{settings.port}", SECRET, server.stop)
            stack.callback(server.stop)
            stack.callback(client.http.close)
            found.append(client)
        yield found


def capture(job: RealJob) -> list[bytes]:
    """Start a job, bring it into trouble, and return its scrubbed capture, line by line."""
    with running(job) as started, agents(job.nodes) as clients:
        _bring_about(started, clients)
        time.sleep(job.settle_s)
        with ThreadPoolExecutor() as pool:
            answers = list(pool.map(lambda pair: _ask(started, *pair), enumerate(clients)))
        lines = [_header(job), *(line for answer in answers for line in answer)]
        return [scrubbed(line, started) for line in lines]


def _bring_about(started: Started, clients: list[Client]) -> None:
    job = started.job
    begins_late = job.trouble in {"late", "dies", "builds"} or bool(job.absent)
    if begins_late:
        away = len(job.absent) + (len(job.at) if job.trouble in {"late", "dies"} else 0)
        started.wait_for("joining", job.ranks - away)
    else:
        started.wait_for("ready", job.ranks)
    if job.signal == "kill":
        if begins_late:
            started.wait_for("stuck", job.stuck)
            time.sleep(2)
        _ask(started, 0, clients[0])  # An agent knows the rank of a dead process that it has seen.
        for rank in job.culprits:
            os.kill(started.processes[rank].pid, signal.SIGKILL)
        if not begins_late:
            started.wait_for("waits", job.stuck)
        return
    started.wait_for("stuck", job.stuck)
    for rank in job.at if job.signal else ():
        pids = (
            started.workers_of(rank) if "workers" in job.signal else [started.processes[rank].pid]
        )
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)


def _ask(started: Started, number: int, client: Client) -> list[dict[str, Any]]:
    job_id = started.job_id(number)
    lines = client.capture(
        job_id, samples=started.job.samples, interval_s=INTERVAL_S, budget_s=20, interned=True
    )
    return [line for line in lines if "end" not in line]


def _header(job: RealJob) -> dict[str, Any]:
    return {
        "schema": "rankscope.capture/1", "job_id": "jo-real", "print_id": PRINT_ID,
        "trigger": job.trigger, "world_size": job.ranks, "samples": job.samples,
        "requested_nodes": [f"gpu{number + 1:02d}" for number in range(job.nodes)],
    }  # fmt: skip


def scrubbed(line: dict[str, Any], started: Started) -> bytes:
    """Return a line without this machine's paths and names; raises NotReady when some are left."""
    text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)
    for node in range(started.job.nodes):
        text = text.replace(started.job_id(node), "jo-real")
    for path, neutral in ((str(started.folder), "/srv/train"), *_PLACES):
        text = text.replace(path, neutral)
    for word in (platform.node(), str(Path.cwd()), tempfile.gettempdir() + "/"):
        if len(word) > 3 and word in text:
            raise NotReady(f"{started.job.name}: {word} is left in the capture")
    return text.encode()
