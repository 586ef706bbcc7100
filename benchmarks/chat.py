"""Measures how fast clicks and events are answered at 100 a second while captures run.

Everything is real and in processes of its own: Redis, `rankscope bot`, `rankscope listen`,
`rankscope worker`, the Feishu emulator, and agents that answer captures. The emulator measures from
the moment it sends an event until it has the answer, as Feishu does; beside it stands what the
emulator needs for the same by itself, with a server that answers at once in the place of the bot.

Run from the project's root: python -m benchmarks.chat [--seconds 30] [--rate 100] [--write]
Fails when the 99th percentile is 300 ms or more, or an answer takes longer than 3 s.
"""

import argparse
import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
from redis import Redis

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
from sandbox.feishu.client import EmulatorClient
from tests.capture.fake_agent import SECRET, fake_agent, sample
from tests.feishu.payloads import Json, click, message

DOCUMENT = Path(__file__).parent.parent / "docs" / "benchmarks-chat.md"
MARK = "<!-- written by benchmarks/chat.py from here on -->"
LIMIT_MS, MOST_MS = 300.0, 3000.0
KEY, TOKEN, APP, APP_SECRET = "encrypt-key", "verification-token", "cli_bench", "bench-secret"
CHAT = "benchmark"
JOBS, NODES, RANKS = 24, 4, 8
PEOPLE = 40
HEAD = """\
| way | what | answered | p50 | p99 | longest | captures meanwhile |
|---|---|---|---|---|---|---|"""


@dataclass(slots=True)
class Figures:
    """How long answers took, in ms; lost counts those that never came or were refused."""

    took_ms: list[float] = field(default_factory=list)
    lost: int = 0

    def quantile(self, share: float) -> float:
        """Return a quantile in ms."""
        ordered = sorted(self.took_ms)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0

    def row(self, way: str, what: str, captures: str) -> str:
        """Return a line of the table."""
        total = len(self.took_ms) + self.lost
        longest = max(self.took_ms, default=0.0)
        return (
            f"| {way} | {what} | {len(self.took_ms):,} of {total:,} | {self.quantile(0.5):.1f} ms "
            f"| {self.quantile(0.99):.1f} ms | {longest:.0f} ms | {captures} |"
        )

    @property
    def good(self) -> bool:
        """Whether the limits were kept."""
        within = self.quantile(0.99) < LIMIT_MS and max(self.took_ms, default=0.0) <= MOST_MS
        return bool(self.took_ms) and within and not self.lost


@contextmanager
def process(name: str, folder: Path, *command: str, **env: str) -> Iterator[None]:
    """Run a part in a session of its own, with its log in the folder."""
    with (folder / f"{name}.log").open("wb") as log:
        started = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], "PYTHONUNBUFFERED": "1", **env},
            cwd=Path(__file__).parent.parent,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield
    finally:
        started.terminate()
        try:
            started.wait(15)
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


def wait_for(url: str, seconds: float = 120.0) -> None:
    """Wait until an address answers 200."""
    until = time.monotonic() + seconds
    while True:
        try:
            if httpx.get(url, trust_env=False, timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        if time.monotonic() > until:
            raise SystemExit(f"{url} is not ready after {seconds:.0f} s")
        time.sleep(0.1)


def serve_agents() -> None:
    """Be the nodes of all jobs: every node holds some ranks and needs a while for a sample."""
    lines = [
        [sample(f"node-{node}", number, node * RANKS) for number in range(2)]
        for node in range(NODES)
    ]
    with ExitStack() as stack:
        agents = [
            stack.enter_context(fake_agent(f"node-{n}", lines=lines[n], seconds=0.5))
            for n in range(NODES)
        ]
        print(json.dumps([agent.url for agent in agents]), flush=True)
        signal.pause()


def serve_at_once(port: int) -> None:
    """Be a bot that answers everything at once: what is left is the emulator's own time."""
    import uvicorn  # noqa: PLC0415

    async def app(scope: Json, receive: object, send: object) -> None:
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):  # type: ignore[operator]
            pass
        head = {"type": "http.response.start", "status": 200, "headers": []}
        await send(head)  # type: ignore[operator]
        await send({"type": "http.response.body", "body": b"{}"})  # type: ignore[operator]

    uvicorn.run(app, port=port, log_level="error", lifespan="off")


class Load:
    """Sends clicks and events through the emulator at fixed times, whether answers come or not."""

    def __init__(self, url: str, rate: float, seconds: float) -> None:
        self._url = url
        self._rate = rate
        self._count = int(rate * seconds)
        self._chance = random.Random(7)
        self.figures = {"click": Figures(), "event": Figures()}
        self.emulator_ms = Figures()

    def run(self) -> None:
        """Send all, and wait for the last answer."""
        asyncio.run(self._run())

    async def _run(self) -> None:
        limits = httpx.Limits(max_connections=200)
        async with httpx.AsyncClient(trust_env=False, timeout=30, limits=limits) as client:
            began, tasks = time.monotonic(), []
            for number in range(self._count):
                await asyncio.sleep(max(0.0, began + number / self._rate - time.monotonic()))
                tasks.append(asyncio.create_task(self._send(client, number)))
            await asyncio.gather(*tasks)

    async def _send(self, client: httpx.AsyncClient, number: int) -> None:
        kind = "click" if number % 2 else "event"
        payload = self._click() if number % 2 else self._event(number)
        began = time.perf_counter()
        answer = await client.post(f"{self._url}/emulator/api/deliver", json=payload)
        whole_ms = (time.perf_counter() - began) * 1000
        told = answer.json()
        if answer.status_code != 200 or told["status"] != 200:
            self.figures[kind].lost += 1
            return
        self.figures[kind].took_ms.append(told["took_ms"])
        self.emulator_ms.took_ms.append(whole_ms - told["took_ms"])

    def _click(self) -> Json:
        job = self._chance.randrange(JOBS)
        act = self._chance.choice(["recapture", "recapture", "ack", "compare", "bundle"])
        pressed = click({"act": act, "incident": f"in-{job}", "rev": 1})
        pressed["event"]["operator"]["open_id"] = f"ou_{self._chance.randrange(PEOPLE)}"
        return pressed

    def _event(self, number: int) -> Json:
        """Return a command; every fourth event is the repetition of one."""
        text = self._chance.choice(["/status", "/jobs", "/errors bench-1", "/report bench-2"])
        unique = number - 6 if number % 8 == 6 else number
        return message(
            text, mentions=(), chat_type="p2p", message_id=f"om_{unique}", event_id=f"ev-{unique}"
        )


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
    """Where everything runs."""

    folder: Path
    emulator: str
    bot: str
    redis: Redis
    agents: list[str]
    env: dict[str, str]

    @property
    def state(self) -> State:
        """The records in Redis."""
        return State(self.redis)


@contextmanager
def stage() -> Iterator[Stage]:
    """Start Redis, the emulator and the agents, and say how to start the rest."""
    folder = Path(tempfile.mkdtemp(prefix="rs-"))
    server = start_server(folder)
    emulator = f"http://127.0.0.1:{free_port()}"
    bot = f"http://127.0.0.1:{free_port()}"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder)
        stack.callback(server.stop)
        options = ["--port", emulator.rpartition(":")[2], "--app-id", APP, "--chat", CHAT]
        options += ["--app-secret", APP_SECRET, "--encrypt-key", KEY, "--verification-token", TOKEN]
        stack.enter_context(process("emulator", folder, *rankscope("emulator", *options)))
        served = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.chat", "--agents"],
            stdout=subprocess.PIPE,
            text=True,
        )
        stack.callback(served.wait)
        stack.callback(served.terminate)
        assert served.stdout is not None
        agents = json.loads(served.stdout.readline())
        wait_for(f"{emulator}/emulator/api/chats")
        env = {
            "REDIS_URL": server.url,
            "RANKSCOPE_DATA_DIR": str(folder),
            "RANKSCOPE_FEISHU_DOMAIN": emulator,
            "RANKSCOPE_FEISHU_APP_ID": APP,
            "RANKSCOPE_FEISHU_APP_SECRET": APP_SECRET,
            "RANKSCOPE_FEISHU_ENCRYPT_KEY": KEY,
            "RANKSCOPE_FEISHU_VERIFICATION_TOKEN": TOKEN,
            "RANKSCOPE_AGENT_SECRET": SECRET,
            "RANKSCOPE_CAPTURE_INTERVAL_S": "1",
            "RANKSCOPE_RECAPTURE_COOLDOWN_S": "0",
        }
        redis = stack.enter_context(Redis.from_url(server.url))
        yield Stage(folder, emulator, bot, redis, agents, env)


@contextmanager
def working(here: Stage, chat_id: str) -> Iterator[None]:
    """Let workers capture, and nodes be known, from before the load until after it."""
    prepare(here.state, chat_id, here.agents)
    over = threading.Event()

    def keep_beating() -> None:
        while not over.wait(5):
            beat(here.state, here.agents)

    thread = threading.Thread(target=keep_beating)
    thread.start()
    workers = rankscope("worker", "--processes", "1", "--grace", "1")
    try:
        with process("worker", here.folder, *workers, **here.env):
            until = time.monotonic() + 120
            while here.redis.scard("rq:workers") < 2 and time.monotonic() < until:
                time.sleep(0.2)
            yield
    finally:
        over.set()
        thread.join()


def captures_of(here: Stage) -> str:
    """Tell how many captures there have been."""
    records = list(here.state.all(CaptureRecord))
    done = sum(record.state is CaptureState.REPORTED for record in records)
    return f"{done} of {len(records)} reported"


def measure(here: Stage, way: str, rate: float, seconds: float) -> Iterator[tuple[str, bool]]:
    """Yield the rows of one way and whether they are good."""
    with EmulatorClient(here.emulator) as client, ExitStack() as stack:
        chat_id = client.chat_id(CHAT)
        if way == "HTTP":
            bot = rankscope("bot", "--port", here.bot.rpartition(":")[2])
            stack.enter_context(process("bot", here.folder, *bot, **here.env))
            wait_for(f"{here.bot}/readyz")
            client.point_at(f"{here.bot}/feishu/events")
        else:
            client.point_at("")
            stack.enter_context(process("listen", here.folder, *rankscope("listen"), **here.env))
        until = time.monotonic() + 120
        while client.subscription()["state"] not in {"verified", "long"}:
            if time.monotonic() > until:
                raise SystemExit((here.folder / "listen.log").read_text())
            time.sleep(0.2)
        stack.enter_context(working(here, chat_id))
        Load(here.emulator, rate, 3).run()  # Everything is warm, the first captures have begun.
        load = Load(here.emulator, rate, seconds)
        load.run()
        captures = captures_of(here)
    for what, figures in load.figures.items():
        yield figures.row(way, what, captures), figures.good


def floor(here: Stage, rate: float, seconds: float) -> str:
    """Return the row of a bot that answers at once."""
    with EmulatorClient(here.emulator) as client:
        port = here.bot.rpartition(":")[2]
        nothing = (sys.executable, "-m", "benchmarks.chat", "--at-once", port)
        with process("at-once", here.folder, *nothing):
            wait_for(f"{here.bot}/")
            client.point_at(f"{here.bot}/feishu/events")
            Load(here.emulator, rate, 1).run()
            load = Load(here.emulator, rate, seconds)
            load.run()
    both = Figures(load.figures["click"].took_ms + load.figures["event"].took_ms)
    return both.row("HTTP", "the emulator's own time", "–")


def main() -> None:
    """Measure, print, and write the document when asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--seconds", type=float, default=30.0)
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
    with stage() as here:
        ways = ("HTTP", "long connection")
        rows = [row for way in ways for row in measure(here, way, chosen.rate, chosen.seconds)]
        rows.append((floor(here, chosen.rate, min(chosen.seconds, 10)), True))
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
