"""How a job's ranks are laid out in tensor, data and pipeline groups (Megatron's order)."""

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True)
class Topology:
    """tp varies fastest, then dp, then pp, as in Megatron's default order."""

    tp: int = 1
    dp: int = 8
    pp: int = 1

    @property
    def size(self) -> int:
        """The number of ranks."""
        return self.tp * self.dp * self.pp

    def stage(self, rank: int) -> int:
        """The pipeline stage."""
        return rank // (self.tp * self.dp)

    def replica(self, rank: int) -> int:
        """The data-parallel index."""
        return rank // self.tp % self.dp

    def tp_group(self, rank: int) -> int:
        """The number of the tensor-parallel group."""
        return rank // self.tp


def pure(random: Random, smallest: int = 8) -> Topology:
    """Draw a size for data parallelism alone."""
    return Topology(dp=random.choice([s for s in (8, 8, 16, 24, 32, 64, 128) if s >= smallest]))


def tensor(random: Random) -> Topology:
    """Draw tensor and data parallelism."""
    return Topology(tp=random.choice((2, 2, 4, 8)), dp=random.choice((4, 4, 8, 16)))


def pipeline(random: Random) -> Topology:
    """Draw pipeline and data parallelism."""
    return Topology(pp=random.choice((2, 4, 4, 8)), dp=random.choice((2, 2, 4, 8)))


def three(random: Random) -> Topology:
    """Draw all three."""
    return Topology(tp=2, pp=random.choice((2, 4)), dp=random.choice((2, 4, 8)))


def large(layout: str, random: Random) -> Topology:
    """Draw a job of 512 to 2,048 ranks."""
    if layout == "dp":
        return Topology(dp=random.choice((512, 1024, 2048)))
    if layout == "tp":
        return Topology(tp=random.choice((4, 8)), dp=random.choice((128, 256)))
    if layout == "pp":
        return Topology(pp=random.choice((4, 8)), dp=random.choice((128, 256)))
    return Topology(tp=8, pp=random.choice((4, 8)), dp=random.choice((16, 32)))
