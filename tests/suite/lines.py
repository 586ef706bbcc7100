"""A made-up job as the lines of a capture file, as agents write them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

import msgspec

from agent.interning import columns, interned
from tests.suite.places import BOOT, POLL, Beside, Frames, Place, Worker, call

Sample = Mapping[int, Place]
PER_NODE = 8
Form = Literal["plain", "interned", "columns"]
"""How an agent was asked to answer (docs/agent-api.md)."""
SPAN = 5.0
"""Seconds between two samples."""


@dataclass(frozen=True)
class Job:
    """One case: where every rank is in each sample, and who is guilty."""

    samples: tuple[Sample, ...]
    guilty: frozenset[int] = frozenset()
    trigger: str = "hang"
    world: int | None = None
    silent_nodes: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dress:
    """What differs between captures for no reason of the job's."""

    states: bool = True
    ticks: bool = True
    qualified: bool = True
    prefix: str = ""
    chatter: bool = True
    form: Form = "plain"
    shuffled: bool = True

    @classmethod
    def draw(cls, random: Random, *, bare: bool = False) -> "Dress":
        """Draw one; bare captures have neither process states nor kernel threads."""
        return cls(
            states=not bare,
            ticks=not bare and random.random() < 0.6,
            qualified=random.random() < 0.7,
            prefix=random.choice(("", "", "/proc/4711/root")),
            chatter=random.random() < 0.7,
            form=_form(random.random()),
        )


def _form(draw: float) -> Form:
    if draw < 0.2:
        return "columns"
    return "interned" if draw < 0.4 else "plain"


@dataclass
class _Writer:
    dress: Dress
    random: Random
    arguments: tuple[str, ...] = ()

    def node(self, name: str, number: int, places: list[tuple[int, Place]]) -> dict[str, Any]:
        processes = [p for rank, place in places for p in self.processes(rank, place, number)]
        if self.dress.shuffled:
            self.random.shuffle(processes)
        line: dict[str, Any] = {
            "node": name, "sample": number, "error": None, "agent": "1",
            "taken_at": f"2026-06-08T03:49:{int(SPAN) * number:02d}.10Z", "processes": processes,
        }  # fmt: skip
        if self.dress.form == "plain":
            return line
        return interned(line) if self.dress.form == "interned" else columns(line)

    def processes(self, rank: int, place: Place, number: int) -> Iterator[dict[str, Any]]:
        pid = 10_000 + 40 * rank
        threads = [] if place.frames is None else self.threads(pid, rank, place)
        process = {
            "pid": pid, "ppid": 500, "rank": rank, "local_rank": rank % PER_NODE,
            "role": place.role, "cmdline": ["python", "main.py", *self.arguments],
            "env": {"RANK": str(rank)},
            "python": "3.11.9", "mode": "nonblocking", "error": place.error, "pause_ms": 0,
            "threads": [thread for thread, _ in threads], "tasks": [],
        }  # fmt: skip
        if self.dress.states:
            process |= {"state": place.state, "wchan": place.wchan}
            tasks = [self.task(thread["os_thread_id"], at, number) for thread, at in threads]
            # Agents write the main task first.
            tasks.sort(key=lambda task: task["tid"] != pid)
            process["tasks"] = tasks or [self.task(pid, place, number)]
        yield process
        for order, worker in enumerate(place.workers):
            yield self.worker(pid, rank, order, worker)

    def threads(
        self, pid: int, rank: int, place: Place
    ) -> list[tuple[dict[str, Any], Place | Beside]]:
        found: list[tuple[dict[str, Any], Place | Beside]] = []
        chatter = _chatter(rank) if self.dress.chatter else ()
        for order, beside in enumerate((*place.beside, *chatter)):
            thread = self.thread(beside.name, beside.frames, pid + 1 + order, beside)
            found.append((thread, beside))
        found.append((self.thread("MainThread", place.frames or (), pid, place), place))
        if self.dress.shuffled and self.random.random() < 0.5:
            found.reverse()
        return found

    def thread(
        self, name: str | None, frames: Frames, tid: int, at: Place | Beside
    ) -> dict[str, Any]:
        shown = {
            "thread_name": name, "os_thread_id": tid, "active": at.state in {"R", "D"},
            "owns_gil": at.gil,
        }  # fmt: skip
        return shown | {"frames": self.frames(frames)}

    def frames(self, frames: Frames) -> list[dict[str, Any]]:
        qualified, prefix = self.dress.qualified, self.dress.prefix
        return [
            {"name": name if qualified else _bare(name), "filename": prefix + path, "line": line,
             "module": None, "short_filename": None, "locals": None}
            for name, path, line in frames
        ]  # fmt: skip

    def task(self, tid: int, at: Place | Beside, number: int) -> dict[str, Any]:
        task = {"tid": tid, "comm": "python", "state": at.state, "wchan": at.wchan}
        if self.dress.ticks:
            load = at.load if isinstance(at, Place) else float(at.state == "R")
            task["cpu_ticks"] = 90_000 + int(100 * SPAN * load * number)
        return task

    def worker(self, pid: int, rank: int, order: int, worker: Worker) -> dict[str, Any]:
        own = pid + 20 + order
        process: dict[str, Any] = {
            "pid": own, "ppid": pid, "rank": rank, "local_rank": rank % PER_NODE,
            "role": worker.role, "cmdline": ["python", "main.py"], "env": {"RANK": str(rank)},
            "python": "3.11.9", "mode": "nonblocking", "error": None, "tasks": [],
            "threads": [
                self.thread(b.name, b.frames, own + 100 + i, b) for i, b in enumerate(worker.beside)
            ] + [self.thread("MainThread", worker.frames, own, Place(worker.frames, worker.state))],
        }  # fmt: skip
        if self.dress.states:
            process |= {"state": worker.state, "wchan": worker.wchan}
            process["tasks"] = [
                {"tid": own, "comm": "python", "state": worker.state, "wchan": worker.wchan}
            ]
        return process


def lines(job: Job, dress: Dress, random: Random) -> list[bytes]:
    """Write a job as a capture file."""
    world = job.world or 1 + max((rank for sample in job.samples for rank in sample), default=0)
    header = {
        "schema": "rankscope.capture/1", "job_id": "jo-suite", "print_id": "1780890495107774003",
        "trigger": job.trigger, "world_size": world, "samples": len(job.samples),
        "requested_nodes": [f"gpu{n:04d}" for n in range((world + PER_NODE - 1) // PER_NODE)],
    }  # fmt: skip
    writer = _Writer(dress, random, job.arguments)
    found: list[dict[str, Any]] = [header]
    for number, sample in enumerate(job.samples):
        nodes: dict[str, list[tuple[int, Place]]] = {}
        for rank, place in sample.items():
            nodes.setdefault(f"gpu{rank // PER_NODE:04d}", []).append((rank, place))
        found += [writer.node(name, number, places) for name, places in nodes.items()]
        found += [
            {"node": node, "sample": number, "error": "connect timed out", "processes": []}
            for node in job.silent_nodes
        ]
    return [msgspec.json.encode(line) for line in found]


def _bare(name: str) -> str:
    return name if name.startswith("<") else name.rpartition(".")[2]


_MONITOR = call("Condition.wait %/threading.py:331; Event.wait %/threading.py:629;"
                "TMonitor.run $/tqdm/_monitor.py:60") + BOOT[1:]  # fmt: skip
_PIN = call("select %/selectors.py:415; wait %/multiprocessing/connection.py:947;"
            "Queue.get %/multiprocessing/queues.py:113;"
            "do_one_step $/torch/utils/data/_utils/pin_memory.py:37;"
            "_pin_memory_loop $/torch/utils/data/_utils/pin_memory.py:61") + BOOT  # fmt: skip


def _chatter(rank: int) -> tuple[Beside, ...]:
    """Threads that wait by design, and threads without Python frames."""
    found = [Beside(None, ()), Beside("Thread-3 (_pin_memory_loop)", _PIN, wchan=POLL)]
    if rank % 3 == 0:
        found.append(Beside("Thread-1", _MONITOR))
    return tuple(found)
