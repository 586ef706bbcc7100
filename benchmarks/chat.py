"""Measures how fast clicks and events are answered at 100 a second while captures run.

Everything is real and in processes of its own: Redis, `rankscope bot`, `rankscope listen`,
`rankscope worker`, and agents that answer captures; the Feishu emulator is in this one. It measures
from the moment it sends an event until it has the answer, as Feishu does; beside it stands what it
needs for the same by itself, with a server that answers at once in the place of the bot.

Run from the project's root: python -m benchmarks.chat [--seconds 30] [--rate 100] [--write]
Fails when the 99th percentile is 300 ms or more, or an answer takes longer than 3 s.
"""

import argparse
import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import httpx
from redis import Redis

from benchmarks.chat_load import (
    JOBS,
    KEY,
    NODES,
    PATH,
    RANKS,
    TOKEN,
    Figures,
    Load,
    Pusher,
    long_road,
    serve_agents,
    serve_at_once,
)
from rankscope.model.capture import Trigger
from rankscope.model.state import (
    AgentBeat,
    AgentJob,
    CaptureRecord,
    CaptureState,
    Incident,
    IncidentState,
    Job,
)
from rankscope.store.server import start_server
from rankscope.store.state import State
from sandbox.feishu.emulator import Emulator, create_emulator
from sandbox.feishu.options import Options
from sandbox.feishu.server import Server, listen
from tests.capture.fake_agent import SECRET

DOCUMENT = Path(__file__).parent.parent / "docs" / "benchmarks-chat.md"
MARK = "<!-- written by benchmarks/chat.py from here on -->"
CHAT = "benchmark"
WAYS = ("HTTP", "long connection")
WARM_S = 3.0
WORKER_NICE = os.environ.get("WORKER_NICE", "5")
HEAD = """\
| way | what | answered | p50 | p99 | longest | CPU of the bot, each | captures meanwhile |
|---|---|---|---|---|---|---|---|"""


def _spawn(command: tuple[str, ...], env: dict[str, str], log: BinaryIO) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env={"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **env},
        cwd=Path(__file__).parent.parent,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )


@asynccontextmanager
async def process(name: str, folder: Path, *command: str, **env: str) -> AsyncIterator[int]:
    """Run a part in a session of its own, with its log in the folder; yield its pid."""
    with (folder / f"{name}.log").open("wb") as log:
        started = _spawn(command, env, log)
    try:
        yield started.pid
    finally:
        started.terminate()
        try:
            await asyncio.to_thread(started.wait, 15)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def rankscope(*arguments: str) -> tuple[str, ...]:
    """Return a command of ours."""
    return sys.executable, "-m", "rankscope", *arguments


def free_port() -> int:
    """Return a port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def prepare(state: State, chat_id: str, agents: list[str]) -> None:
    """Record jobs that hang, on nodes that agents watch."""
    state.redis.flushall()
    for number in range(JOBS):
        job_id, incident_id = f"bench-{number}", f"in-{number}"
        state.save(Job(id=job_id))
        state.save(
            Incident(
                id=incident_id,
                job_id=job_id,
                kind=Trigger.HANG,
                chat_id=chat_id,
                opened_at=time.time(),
                state=IncidentState.REPORTED,
            )
        )
        state.set_open_incident(job_id, incident_id)
    beat(state, agents)


def beat(state: State, agents: list[str]) -> None:
    """Let the nodes be known for another while."""
    jobs = tuple(
        AgentJob(job_id=f"bench-{number}", ranks=(0,), world_size=NODES * RANKS)
        for number in range(JOBS)
    )
    for node, url in enumerate(agents):
        state.beat(AgentBeat(node=f"node-{node}", endpoint=url, version="1", jobs=jobs))


@dataclass(frozen=True, slots=True)
class Stage:
    """Where everything runs; the emulator is served by this process, which also sends the load."""

    folder: Path
    emulator: Emulator
    port: int
    redis: Redis
    agents: list[str]
    env: dict[str, str]

    @property
    def state(self) -> State:
        """The records in Redis."""
        return State(self.redis)

    @property
    def bot(self) -> str:
        """The address of the bot."""
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def stage(where: Path | None) -> AsyncIterator[Stage]:
    """Start Redis, the emulator and the agents, and say how to start the rest."""
    folder = Path(tempfile.mkdtemp(prefix="rs-", dir=where))
    server = start_server(folder)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        stack.callback(server.stop)
        listener = stack.enter_context(listen("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        options = Options(encrypt_key=KEY, verification_token=TOKEN, chats=(CHAT,))
        emulator = create_emulator(options)
        serving = Server(emulator)
        task = asyncio.create_task(serving.serve([listener]))
        agents = stack.enter_context(agents_beside())
        env = {
            "REDIS_URL": server.url,
            "RANKSCOPE_DATA_DIR": str(folder),
            "RANKSCOPE_FEISHU_DOMAIN": url,
            "RANKSCOPE_FEISHU_APP_ID": options.app_id,
            "RANKSCOPE_FEISHU_APP_SECRET": options.app_secret,
            "RANKSCOPE_FEISHU_ENCRYPT_KEY": KEY,
            "RANKSCOPE_FEISHU_VERIFICATION_TOKEN": TOKEN,
            "RANKSCOPE_AGENT_SECRET": SECRET,
            "RANKSCOPE_CAPTURE_INTERVAL_S": "1",
            "RANKSCOPE_RECAPTURE_COOLDOWN_S": "0",
        }
        redis = stack.enter_context(Redis.from_url(server.url))
        yield Stage(folder, emulator, free_port(), redis, agents, env)
        serving.should_exit = True
        await task


@contextmanager
def agents_beside() -> Iterator[list[str]]:
    """Run the agents in a process of their own; yield their addresses."""
    command = [sys.executable, "-m", "benchmarks.chat", "--agents"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            yield json.loads(served.stdout.readline())
        finally:
            served.terminate()


@asynccontextmanager
async def working(here: Stage) -> AsyncIterator[None]:
    """Let workers capture, and nodes be known, from before the load until after it."""
    [chat_id] = [c.chat_id for c in here.emulator.world.chats.values() if c.name == CHAT]
    prepare(here.state, chat_id, here.agents)

    async def keep_beating() -> None:
        while True:
            await asyncio.sleep(5)
            beat(here.state, here.agents)

    beating = asyncio.create_task(keep_beating())
    # As deploy/systemd does: people wait for the bot, nobody waits for a worker.
    workers = ("nice", "-n", WORKER_NICE, *rankscope("worker", "--processes", "1", "--grace", "1"))
    async with process("worker", here.folder, *workers, **here.env):
        await until(lambda: int(here.redis.scard("rq:workers")) >= 2, here.folder / "worker.log")
        yield
    beating.cancel()


async def until(true: Callable[[], bool], log: Path, seconds: float = 150.0) -> None:
    """Wait; exit with a log when it takes too long."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            raise SystemExit(f"not ready after {seconds:.0f} s:\n{_tail(log)}")
        await asyncio.sleep(0.1)


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-3000:]


def captures_of(here: Stage) -> str:
    """Tell how many captures there have been."""
    records = list(here.state.all(CaptureRecord))
    done = sum(record.state is CaptureState.REPORTED for record in records)
    return f"{done} of {len(records)} reported"


async def measure(here: Stage, way: str, rate: float, seconds: float) -> list[tuple[str, bool]]:
    """Return the rows of one way and whether they are good."""
    emulator, log, pusher = here.emulator, here.folder / f"{way}.log", Pusher(here.port)
    if way == "HTTP":
        command, road = rankscope("bot", "--port", str(here.port)), pusher.push
        emulator.subscription.point_at(f"{here.bot}{PATH}")
    else:
        command, road = rankscope("listen"), long_road(emulator)
        emulator.subscription.point_at("")
    async with process(way, here.folder, *command, **here.env) as pid:
        await until(lambda: reached(emulator, way), log)
        async with working(here):
            # Everything is warm then, and the first captures have begun.
            await Load(road, rate, WARM_S).run()
            load, used = Load(road, rate, seconds), cpu_s(pid)
            await load.run()
            each = f"{(cpu_s(pid) - used) * 1000 / (rate * seconds):.1f} ms"
            captures = captures_of(here)
        pusher.close()
    rows = load.figures.items()
    return [(figures.row(way, what, each, captures), figures.good) for what, figures in rows]


def cpu_s(pid: int) -> float:
    """Return the CPU time of a process and its children so far."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return _own_cpu_s(pid) + sum(cpu_s(int(child)) for child in children)


def _own_cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def reached(emulator: Emulator, way: str) -> bool:
    """Whether the bot can be reached."""
    addresses = emulator.subscription.addresses.values()
    verified = bool(addresses) and all(one.state == "verified" for one in addresses)
    return verified if way == "HTTP" else bool(emulator.connections.open)


async def floor(here: Stage, rate: float, seconds: float) -> str:
    """Return the row of a bot that answers at once."""
    nothing = (sys.executable, "-m", "benchmarks.chat", "--at-once", str(here.port))
    pusher = Pusher(here.port)
    async with process("at-once", here.folder, *nothing) as pid:
        await until(lambda: answers(here.bot), here.folder / "at-once.log")
        await Load(pusher.push, rate, WARM_S).run()
        load, used = Load(pusher.push, rate, seconds), cpu_s(pid)
        await load.run()
        each = f"{(cpu_s(pid) - used) * 1000 / (rate * seconds):.1f} ms"
        pusher.close()
    both = Figures(load.figures["click"].took_ms + load.figures["event"].took_ms)
    return both.row("HTTP", "the emulator's own time", each, "–")


def answers(url: str) -> bool:
    """Whether a server answers there."""
    try:
        return httpx.get(url, trust_env=False, timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


async def measure_all(where: Path | None, rate: float, seconds: float) -> list[tuple[str, bool]]:
    """Return all rows."""
    async with stage(where) as here:
        rows = [row for way in WAYS for row in await measure(here, way, rate, seconds)]
        return [*rows, (await floor(here, rate, seconds), True)]


def main() -> None:
    """Measure, print, and write the document when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--folder", type=Path, help="where Redis writes; default: as tempfile says")
    parser.add_argument("--write", action="store_true", help=f"put the table into {DOCUMENT.name}")
    parser.add_argument("--agents", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--at-once", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.agents:
        serve_agents()
    if chosen.at_once:
        serve_at_once(chosen.at_once)
        return
    table, failed = [HEAD], False
    print(HEAD)
    rows = asyncio.run(measure_all(chosen.folder, chosen.rate, chosen.seconds))
    for row, good in rows:
        print(row, flush=True)
        table.append(row)
        failed |= not good
    if chosen.write:
        head = DOCUMENT.read_text(encoding="utf-8").partition(MARK)[0]
        load = " ".join(f"{value:.1f}" for value in os.getloadavg())
        told = f"{chosen.rate:.0f} a second for {chosen.seconds:.0f} s; {os.cpu_count()} cores"
        table.append(f"\n{told}, load averages at the end {load}.")
        DOCUMENT.write_text(f"{head}{MARK}\n\n" + "\n".join(table) + "\n", encoding="utf-8")
    if failed:
        sys.exit("a limit was exceeded")


if __name__ == "__main__":
    main()
