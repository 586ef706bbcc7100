"""The register of kinds, and how a case of one is drawn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tests.suite.lines import Dress, Job, lines
from tests.suite.world import World, world

KINDS: dict[str, "Kind"] = {}


@dataclass(frozen=True)
class Kind:
    """A kind of case: a name, where it can happen, and how to make one."""

    name: str
    layouts: tuple[str, ...]
    frameworks: tuple[str, ...]
    make: Callable[[World], Job]
    bare: bool = False


@dataclass(frozen=True)
class Case:
    """One drawn job with its truth; content is the capture file."""

    kind: str
    seed: int
    job: Job
    content: list[bytes]


def kind(
    name: str, layouts: tuple[str, ...], frameworks: tuple[str, ...] = (), *, bare: bool = False
) -> Callable[[Callable[[World], Job]], Kind]:
    """Register a kind."""

    def register(make: Callable[[World], Job]) -> Kind:
        KINDS[name] = Kind(name, layouts, frameworks, make, bare)
        return KINDS[name]

    return register


def case(name: str, seed: int) -> Case:
    """Draw one case; the same name and seed always give the same one."""
    chosen = KINDS[name]
    layout = chosen.layouts[seed % len(chosen.layouts)]
    drawn = world(f"{name}/{seed}", layout, chosen.frameworks)
    job = chosen.make(drawn)
    dress = Dress.draw(drawn.random, bare=chosen.bare)
    return Case(name, seed, job, lines(job, dress, Random(seed)))


def cases(seeds: range) -> Iterator[Case]:
    """Draw cases of every kind."""
    for name in KINDS:
        for seed in seeds:
            yield case(name, seed)
