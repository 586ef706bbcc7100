"""Where a rank of a communicator really is: its global rank and its node in the capture.

RAS knows a process by the IP of its bootstrap interface and its pid, and a rank by its number
within a communicator. The capture knows global ranks and names of nodes. Pids join the two; where
processes died or pids are those of a container, the communicator of the whole job gives the rank.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rankscope.model.capture import Capture, Role
from rankscope.nccl.model import Communicator, RasAnswer, RasProcess

Key = tuple[str, int, int | None]
"""Host, pid and GPU of a process; a process with several GPUs has several ranks."""


@dataclass(frozen=True, slots=True)
class Place:
    """A rank's global number and node, as far as they are known."""

    rank: int | None = None
    node: str | None = None
    process: RasProcess | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Finds the place of any rank of an answer; `world` is the hash of the job's communicator.

    nodes are found by host, homes by global rank: in containers pids and hosts tell nothing.
    """

    world: str = ""
    ranks: Mapping[Key, int] = field(default_factory=dict)
    nodes: Mapping[str, str] = field(default_factory=dict)
    homes: Mapping[int, str] = field(default_factory=dict)

    def of(self, comm: Communicator, rank: int) -> Place:
        """Return where a rank of a communicator is."""
        process = comm.processes.get(rank)
        known = self.ranks.get(_key(process)) if process else None
        number = rank if comm.hash and comm.hash == self.world else known
        node = self.nodes.get(process.host) if process else None
        home = self.homes.get(number) if number is not None else None
        return Place(number, node or home, process)


def join(
    answer: RasAnswer, capture: Capture | None = None, world_size: int | None = None
) -> Places:
    """Join an answer with the capture of the same job; world_size is the job's, when known."""
    size = world_size or (capture.header.world_size if capture else None)
    world = _world(answer, size)
    nodes, by_pid = _from_capture(answer, capture) if capture else ({}, {})
    ranks = {**by_pid, **({_key(p): rank for rank, p in world.processes.items()} if world else {})}
    return Places(world.hash if world else "", ranks, nodes, _homes(capture) if capture else {})


def _key(process: RasProcess) -> Key:
    return process.host, process.pid, process.gpu


def _world(answer: RasAnswer, world_size: int | None) -> Communicator | None:
    """Find the one communicator that spans the job; without a world size, all of its GPUs."""
    job = answer.job
    size = world_size or (job.gpus if job and not job.derived else None)
    largest = max((comm.size for comm in answer.communicators), default=0)
    size = size or largest
    spanning = [comm for comm in answer.communicators if comm.size == size and comm.hash]
    # Several such communicators usually number their ranks alike, but that is no rule.
    return spanning[0] if len(spanning) == 1 and size > 1 else None


def _homes(capture: Capture) -> dict[int, str]:
    return {
        process.rank: sample.node
        for sample in capture.samples
        for process in sample.processes
        if process.role in {Role.TRAINER, Role.DEAD} and process.rank is not None
    }


def _from_capture(answer: RasAnswer, capture: Capture) -> tuple[dict[str, str], dict[Key, int]]:
    trainers: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for sample in capture.samples:
        for process in sample.processes:
            if process.role is Role.TRAINER and process.rank is not None:
                trainers[process.pid].add((sample.node, process.rank))
    processes = {p for comm in answer.communicators for p in comm.processes.values()}
    nodes = _nodes(processes, trainers)
    ranks: dict[Key, int] = {}
    for found in processes:
        there = trainers.get(found.pid, set())
        numbers = {rank for node, rank in there if nodes.get(found.host) == node}
        if len(numbers) == 1:
            ranks[_key(found)] = numbers.pop()
    return nodes, ranks


def _nodes(
    processes: Iterable[RasProcess], trainers: Mapping[int, set[tuple[str, int]]]
) -> dict[str, str]:
    """Match hosts with nodes by the pids they share; a tie matches nothing."""
    shared: dict[str, Counter[str]] = defaultdict(Counter)
    for host, pid in {(process.host, process.pid) for process in processes}:
        shared[host].update({node for node, _ in trainers.get(pid, ())})
    nodes = {}
    for host, counter in shared.items():
        best = counter.most_common(2)
        if best and (len(best) == 1 or best[0][1] > best[1][1]):
            nodes[host] = best[0][0]
    return nodes
