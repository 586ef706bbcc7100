"""Captures 8 trainers with 32 DataLoader workers, beside bare `py-spy dump` and `pystack`.

Run on a quiet machine, as root, with torch installed (pip install 'rankscope[torch]'):

    python benchmarks/agent.py [--pystack PATH] [--idle 60] [--output docs/benchmarks-agent.md]

Fails when the agent takes more than 0.6 times what py-spy takes one process after another, stops
any target, needs more than 80 MB, or 0.2 % of a core while nothing is asked of it.
"""

import argparse
import contextlib
import json
import os
import platform
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import zstandard

from rankscope.signing import sign_request, verify_line

RANKS, ROUNDS, SPIN_S = 8, 15, 6.0
MOST_RATIO, MOST_PAUSE_MS, MOST_MB, MOST_IDLE = 0.6, 0.0, 80.0, 0.2
SETTLED_S = 65.0
"""Heartbeats use again what was read of processes older than a minute (docs/agent.md)."""
JOB, SECRET = "jo-benchmark", "a-key-for-benchmarks"
TRAINER = Path(__file__).parent / "agent_trainer.py"
SUSPECT = 3


@dataclass
class Table:
    """Rows for people, and what broke its limit."""

    rows: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def add(self, what: str, value: str, *, limit: str = "", ok: bool = True) -> None:
        """Add one row and show it at once."""
        self.rows.append(f"| {what} | {value} | {limit} |")
        print(f"{what}: {value}" + (f" (limit {limit})" if limit else ""), flush=True)
        if not ok:
            self.broken.append(f"{what}: {value}, limit {limit}")


class Trainer:
    """One rank: a process that waits for commands."""

    def __init__(self, rank: int, port: int) -> None:
        env = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": RANKS, "RANKSCOPE_JOB_ID": JOB}
        env |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "OMP_NUM_THREADS": 1}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(TRAINER)],
            env=os.environ | {name: str(value) for name, value in env.items()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def read(self) -> dict[str, Any]:
        """Return the next line it prints."""
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("A trainer ended; is torch installed?")
        return json.loads(line)

    def spin(self, seconds: float) -> None:
        """Let it read the clock for so long; `read` then gives the gaps."""
        self.process.stdin.write(f"spin {seconds}\n")
        self.process.stdin.flush()

    def end(self) -> None:
        """Kill it and its workers, and collect it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def trainers() -> Iterator[tuple[list[Trainer], list[int]]]:
    """Give the job's trainers, and the PIDs of all 40 processes."""
    port = free_port()
    started = [Trainer(rank, port) for rank in range(RANKS)]
    try:
        ready = [trainer.read() for trainer in started]
        yield started, [pid for one in ready for pid in (one["pid"], *one["workers"])]
    finally:
        for trainer in started:
            trainer.end()


class Agent:
    """The real agent as a process of its own, with heartbeats to a bot that takes them."""

    def __init__(self, folder: str) -> None:
        self.beats = 0
        self.bot = HTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.bot.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{free_port()}"
        options = ["--port", self.url.rpartition(":")[2]]
        options += ["--bot-url", f"http://127.0.0.1:{self.bot.server_port}"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rankscope", "agent", *options],
            env=os.environ | {"RANKSCOPE_AGENT_SECRET": SECRET},
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        self.http = httpx.Client(base_url=self.url, timeout=120, trust_env=False)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        agent = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                agent.beats += 1
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        return Handler

    def capture(self, **wanted: object) -> tuple[float, bytes, list[dict[str, Any]]]:
        """Return the seconds a capture took, its answer, and its verified lines."""
        request = {"job_id": JOB, "samples": 1, "budget_s": 60, **wanted}
        body = json.dumps(request).encode()
        signed = sign_request(SECRET, "POST", "/v1/captures", body)
        started = time.perf_counter()
        answer = self.http.post("/v1/captures", content=body, headers=signed.headers)
        took = time.perf_counter() - started
        answer.raise_for_status()
        texts = enumerate(answer.text.splitlines())
        lines = [json.loads(verify_line(SECRET, signed.nonce, n, text)) for n, text in texts]
        return took, answer.content, lines

    def wait_until_up(self) -> None:
        """Wait until it answers."""
        for _ in range(600):
            with contextlib.suppress(httpx.TransportError):
                self.http.get("/healthz")
                return
            time.sleep(0.05)
        raise SystemExit("The agent did not start.")

    def status(self, name: str) -> float:
        """Return a size of /proc/PID/status in MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition(f"{name}:")[2].split()[0]) / 1000

    def cpu_s(self) -> float:
        """Return the CPU time it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """Stop it and the bot."""
        self.process.terminate()
        self.process.wait()
        self.http.close()
        self.bot.shutdown()
        self.bot.server_close()


def free_port() -> int:
    """Return a TCP port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that something took."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def run(*command: str) -> None:
    """Run one command and throw its output away."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def real_time(pid: int) -> Iterator[None]:
    """Let the agent, this process and their children go before all others for a while."""
    tasks = [
        int(path.name) for one in (pid, os.getpid()) for path in Path(f"/proc/{one}/task").iterdir()
    ]
    try:
        for task in tasks:
            os.sched_setscheduler(task, os.SCHED_RR, os.sched_param(1))
        yield
    finally:
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setscheduler(task, os.SCHED_OTHER, os.sched_param(0))


def measure_wall(agent: Agent, pids: list[int], table: Table) -> None:
    """Time a whole capture beside py-spy on the same processes, in turn."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        took, _, (sample, _) = agent.capture()
        dumped = {p["pid"] for p in sample["processes"] if p["threads"]}
        if not dumped >= set(pids):
            raise SystemExit(f"The agent did not dump {set(pids) - dumped}.")
        ours.append(took)
        theirs.append(timed(lambda: [run("py-spy", "dump", "--pid", str(pid)) for pid in pids]))
    ratio = statistics.median(ours) / statistics.median(theirs)
    table.add("One sample of 40 processes, median", f"{statistics.median(ours):.3f} s")
    table.add("`py-spy dump` one after another", f"{statistics.median(theirs):.3f} s")
    limit = f"≤ {MOST_RATIO}"
    table.add("Ratio", f"{ratio:.2f}", limit=limit, ok=ratio <= MOST_RATIO)


def measure_sizes(agent: Agent, table: Table) -> None:
    """Compare the answer's sizes in its three forms (docs/agent-api.md, "Interned answers")."""
    forms = {
        "Answer": agent.capture()[1],
        "Answer with interned stacks": agent.capture(interned=True)[1],
        "Answer in columns": agent.capture(columns=True)[1],
    }
    for name, answer in forms.items():
        packed = len(zstandard.compress(answer))
        table.add(name, f"{len(answer) / 1000:.0f} kB, with zstd {packed / 1000:.0f} kB")
    plain, _, columns = forms.values()
    table.add("Ratio of sizes, columns", f"{len(plain) / len(columns):.1f}")


def pauses(spinning: list[Trainer], work: Callable[[], object]) -> tuple[float, float, float]:
    """Return the longest stop and gap of the trainers during work, and its seconds."""
    for trainer in spinning:
        trainer.spin(SPIN_S)
    time.sleep(0.3)
    took = timed(work)
    gaps = [trainer.read() for trainer in spinning]
    return max(g["stopped_ms"] for g in gaps), max(g["gap_ms"] for g in gaps), took


def measure_pauses(agent: Agent, started: list[Trainer], table: Table) -> None:
    """Measure inside all trainers how long anything stops them."""
    baseline, gap, _ = pauses(started, lambda: None)
    table.add(
        "Longest stop of a trainer, nothing captured",
        f"{baseline:.2f} ms ({gap:.0f} ms off its core)",
    )
    stop, gap, _ = pauses(started, lambda: agent.capture(samples=2, interval_s=1))
    value = f"{stop:.2f} ms ({gap:.0f} ms off its core)"
    ok = stop <= max(MOST_PAUSE_MS, baseline)
    table.add("Longest stop of a trainer, two samples", value, limit="0", ok=ok)
    pids = [str(trainer.process.pid) for trainer in started]
    stop, _, _ = pauses(started, lambda: [run("py-spy", "dump", "--pid", pid) for pid in pids])
    table.add("Longest stop of a trainer, bare `py-spy dump`", f"{stop:.2f} ms")


def measure_native(agent: Agent, suspect: Trainer, pystack: str | None, table: Table) -> None:
    """Take native frames of one suspect, by the agent and by pystack."""
    pid = str(suspect.process.pid)
    ways: dict[str, Callable[[], object]] = {
        "agent, native frames of one rank, whole job": lambda: agent.capture(native=[SUSPECT]),
        "`py-spy dump --native` of one rank": lambda: run(
            "py-spy", "dump", "--native", "--pid", pid
        ),
    }
    if pystack:
        ways["`pystack remote --native` of one rank"] = lambda: run(
            pystack, "remote", "--native", pid
        )
        ways["`pystack remote` of one rank"] = lambda: run(pystack, "remote", pid)
    for name, work in ways.items():
        found = [pauses([suspect], work) for _ in range(3)]
        stop = statistics.median(stop for stop, _, _ in found)
        took = statistics.median(took for _, _, took in found)
        table.add(f"Native: {name}", f"{took:.2f} s, stopped for {stop:.0f} ms")


def measure_idle(agent: Agent, settle: float, seconds: float, table: Table) -> None:
    """Measure the agent while it only sends heartbeats."""
    time.sleep(settle)
    beats, before = agent.beats, agent.cpu_s()
    time.sleep(seconds)
    share = (agent.cpu_s() - before) / seconds * 100
    name = f"Idle CPU over {seconds:.0f} s with {agent.beats - beats} heartbeats"
    table.add(name, f"{share:.2f} % of a core", limit=f"< {MOST_IDLE} %", ok=share < MOST_IDLE)


def measure_memory(agent: Agent, table: Table) -> None:
    """Read the agent's own memory after all captures."""
    peak = agent.status("VmHWM")
    table.add("Memory, highest", f"{peak:.0f} MB", limit=f"≤ {MOST_MB:.0f} MB", ok=peak <= MOST_MB)


_REAL_TIME = (
    "",
    "Others used the machine. The wall times of whole samples were therefore taken with real-time",
    "priority (SCHED_RR) for the agent, py-spy and what started them, alike on both sides.",
)


def report(table: Table, *, real_time: bool) -> str:
    """Return the page with the results."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    tools = ", ".join(f"{name} {version(name)}" for name in ("py-spy", "torch"))
    return "\n".join(
        [
            "# Benchmarks of the capture agent",
            "",
            "`python benchmarks/agent.py --output docs/benchmarks-agent.md` writes this page.",
            "",
            (
                f"A virtual machine, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} "
                f"{platform.machine()}, Python {platform.python_version()}, {tools}. "
                f"{RANKS} trainers on gloo with 4 DataLoader workers each."
            ),
            "",
            "| what | measured | limit |",
            "|---|---|---|",
            *table.rows,
            "",
            "A stop is a gap in a tight loop over the clock inside the trainer during which the",
            "kernel counted a voluntary context switch, as for a stop by ptrace; the loop never",
            "waits. Time off its core includes being preempted by the other processes.",
            *(_REAL_TIME if real_time else ()),
            "",
        ]
    )


def main() -> None:
    """Measure everything; exit with 1 when a limit is broken."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pystack", default=shutil.which("pystack"), help="for the comparison")
    parser.add_argument("--settle", type=float, default=SETTLED_S, help="seconds before that")
    parser.add_argument("--real-time", action="store_true", help="for a machine that others use")
    parser.add_argument("--idle", type=float, default=60.0, help="seconds of the idle measurement")
    parser.add_argument("--output", type=Path, help="page to write")
    given = parser.parse_args()
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    table = Table()
    with tempfile.TemporaryDirectory() as folder, trainers() as (started, pids):
        agent = Agent(folder)
        try:
            agent.wait_until_up()
            with real_time(agent.process.pid) if given.real_time else contextlib.nullcontext():
                measure_wall(agent, pids, table)
            measure_sizes(agent, table)
            measure_pauses(agent, started, table)
            measure_native(agent, started[SUSPECT], given.pystack, table)
            measure_memory(agent, table)
            measure_idle(agent, given.settle, given.idle, table)
        finally:
            agent.end()
    if given.output:
        given.output.write_text(report(table, real_time=given.real_time), encoding="utf-8")
    if table.broken:
        sys.exit("\n".join(table.broken))


if __name__ == "__main__":
    main()
