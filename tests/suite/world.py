"""The job a case is made of: program, layout, and who waits where when somebody hangs."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from random import Random

from tests.suite.lines import Job, Sample
from tests.suite.places import Place, asleep, busy
from tests.suite.programs import DATA_PARALLEL, POLLS, Program
from tests.suite.topology import Topology, large, pipeline, pure, tensor, three
from tests.suite.words import words

Make = Callable[["World"], Job]


@dataclass(frozen=True)
class World:
    """A drawn job; every kind of case starts from one."""

    random: Random
    program: Program
    topology: Topology

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self.topology.size

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The sizes of the groups, where the program takes them as arguments."""
        told = self.program.framework == "megatron" or self.random.random() < 0.3
        if self.topology.tp * self.topology.pp == 1 or not told:
            return ()
        return ("--tensor-model-parallel-size", str(self.topology.tp),
                f"--pipeline-model-parallel-size={self.topology.pp}")  # fmt: skip

    @cached_property
    def one(self) -> int:
        """The rank that is guilty."""
        return self.random.randrange(self.size)

    @cached_property
    def few(self) -> tuple[int, ...]:
        """One to three guilty ranks."""
        most = max(1, min(3, self.size // 8))
        return tuple(sorted(self.random.sample(range(self.size), self.random.randint(1, most))))

    def all_at(self, place: Place) -> dict[int, Place]:
        """Put every rank at one place."""
        return dict.fromkeys(range(self.size), place)

    def behind(self, culprits: Collection[int], phase: str = "forward") -> dict[int, Place]:
        """Return where the others come to wait for culprits that hang in a phase of a step.

        Tensor-parallel partners wait in the layer or for the batch, the stages of the same pipeline
        for their neighbour, all others for the gradients.
        """
        t = self.topology
        found: dict[int, Place] = {}
        for rank in range(self.size):
            if rank in culprits:
                continue
            own = [c for c in culprits if t.replica(c) == t.replica(rank)]
            partners = [c for c in own if t.tp_group(c) == t.tp_group(rank)]
            if partners:
                wait = self.program.batch_wait if phase == "data" else self.program.tensor_wait
                found[rank] = wait()
            elif own and t.pp > 1:
                later = t.stage(rank) > t.stage(own[0])
                found[rank] = self.program.stage_wait("recv_forward" if later else "recv_backward")
            else:
                found[rank] = self.program.grads()
        return found

    def at_work(self, rank: int) -> Place:
        """Return where a rank of a healthy job may be."""
        draw, p = self.random.random(), self.program
        if draw < 0.30:
            return busy(p.forward(self.random.randrange(15)), 0.7)
        if draw < 0.42:
            return busy(p.backward(), 0.7)
        if draw < 0.52:
            return busy(p.update(), 0.7)
        if draw < 0.60:
            return asleep(p.loader(), POLLS)
        if self.topology.tp > 1 and draw < 0.75:
            return p.tensor_wait(self.random.randrange(15))
        if self.topology.pp > 1 and draw < 0.85:
            way = self.random.choice(("recv_forward", "recv_backward", "send_forward"))
            return p.stage_wait(way)
        if draw < 0.95:
            return p.grads()
        return busy(p.multiply(rank), 0.7)

    def healthy_sample(self) -> Sample:
        """Return one moment of a healthy job at full speed."""
        return {rank: self.at_work(rank) for rank in range(self.size)}


_LAYOUTS = {"dp": pure, "tp": tensor, "pp": pipeline, "3d": three}
_PARALLEL = ("plain", "megatron")


def world(
    seed: str, layout: str, frameworks: tuple[str, ...] = (), *, is_large: bool = False
) -> World:
    """Draw a job; the same seed always gives the same one."""
    random = Random(seed)
    usual = DATA_PARALLEL if layout == "dp" else _PARALLEL
    framework = random.choice(frameworks or usual)
    topology = large(layout, random) if is_large else _LAYOUTS[layout](random)
    spins = framework in {"plain", "fsdp", "megatron"} and random.random() < 0.25
    return World(random, Program(framework, words(random), spins), topology)
