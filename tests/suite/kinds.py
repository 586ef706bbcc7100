"""The register of kinds, and how a case of one is drawn."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, get_args

from tests.suite.lines import Dress, Job, lines
from tests.suite.world import World, world

Condition = Literal["whole", "one sample", "no states", "failed dumps"]
CONDITIONS: tuple[Condition, ...] = get_args(Condition)

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


def case(name: str, seed: int, condition: Condition = "whole", *, is_large: bool = False) -> Case:
    """Draw one case; the same name, seed, condition and size always give the same one.

    A large one has 512 to 2,048 ranks, others 4 to 128; a few kinds have a size of their own.
    """
    chosen = KINDS[name]
    layout = chosen.layouts[seed % len(chosen.layouts)]
    drawn = world(f"{name}/{seed}", layout, chosen.frameworks, is_large=is_large)
    job = replace(chosen.make(drawn), arguments=drawn.arguments)
    if job.trigger == "hang" and drawn.random.random() < 0.5:
        job = replace(job, trigger="manual")  # Somebody looked before the alert came.
    if condition == "one sample":
        job = replace(job, samples=job.samples[-1:])
    if condition == "failed dumps":
        job = _with_failed_dumps(job, drawn.random)
    dress = Dress.draw(drawn.random, bare=chosen.bare or condition == "no states")
    return Case(name, seed, job, lines(job, dress, Random(seed)))


def _with_failed_dumps(job: Job, random: Random) -> Job:
    """Lose one innocent dump in thirty, as on a busy node."""
    innocent = sorted(set(job.samples[0]) - job.guilty)
    lost = set(random.sample(innocent, max(1, len(innocent) // 30))) if innocent else set()
    failed = "failed: Failed to copy PyThreadState: Bad address"
    samples = tuple(
        {r: replace(p, frames=None, error=failed) if r in lost else p for r, p in sample.items()}
        for sample in job.samples
    )
    return replace(job, samples=samples)


def cases(seeds: range) -> Iterator[Case]:
    """Draw cases of every kind."""
    for name in KINDS:
        for seed in seeds:
            yield case(name, seed)
