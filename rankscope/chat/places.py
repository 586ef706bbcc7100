"""The place of a rank in a capture, found as people name it; pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rankscope.analysis.names import call_site
from rankscope.analysis.threads import main_thread
from rankscope.model.capture import Capture, Process, Role

_PLACE = re.compile(r"worker-(?P<worker>\d{1,6})-gpu-(?P<gpu>\d{1,6})", re.ASCII)
_RANK = re.compile(r"(?:rank)?[ -]?(?P<rank>\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A rank, or a worker (the node's place in the capture) and its GPU."""

    rank: int | None = None
    worker: int | None = None
    gpu: int | None = None


@dataclass(frozen=True, slots=True)
class RankPlace:
    """A rank's process in the last sample; moved compares its main thread in all samples."""

    rank: int
    node: str
    key: str
    process: Process
    helpers: int
    moved: bool | None

    @property
    def frames(self) -> tuple[str, ...]:
        """The main thread from the innermost call, as `name (file:line)`; empty without one."""
        main = main_thread(self.process)
        return tuple(call_site(frame) for frame in main.frames) if main else ()


def parse_place(word: str) -> Wanted | None:
    """Read `5`, `rank 5` or `worker-0-gpu-1`; None for anything else."""
    plain = word.strip().lower()
    if found := _RANK.fullmatch(plain):
        return Wanted(rank=int(found["rank"]))
    if found := _PLACE.fullmatch(plain):
        return Wanted(worker=int(found["worker"]), gpu=int(found["gpu"]))
    return None


def find_place(capture: Capture, wanted: Wanted) -> RankPlace | None:
    """Return the wanted rank's place, or None when the capture has no such rank."""
    every = [place for place in _trainers(capture) if _fits(place, wanted)]
    if not every:
        return None
    worker, node, process, helpers = every[-1]
    stood = {main.frames for _, _, one, _ in every if (main := main_thread(one))}
    local = "?" if process.local_rank is None else process.local_rank
    return RankPlace(
        rank=-1 if process.rank is None else process.rank,
        node=node,
        key=f"worker-{worker}-gpu-{local}",
        process=process,
        helpers=helpers,
        moved=len(stood) > 1 if len(every) > 1 and stood else None,
    )


def ranks_of(capture: Capture) -> list[int]:
    """Return the ranks that are in a capture."""
    return sorted({p.rank for _, _, p, _ in _trainers(capture) if p.rank is not None})


_Found = tuple[int, str, Process, int]


def _trainers(capture: Capture) -> Iterator[_Found]:
    """Yield worker, node, process and number of helpers of every rank, sample by sample."""
    answered = (sample.node for sample in capture.samples)
    names = dict.fromkeys((*capture.header.requested_nodes, *answered))
    workers = {name: number for number, name in enumerate(names)}
    for sample in sorted(capture.samples, key=lambda sample: sample.sample):
        for process in sample.processes:
            if process.role in {Role.TRAINER, Role.DEAD} and process.rank is not None:
                same = [one for one in sample.processes if one.rank == process.rank]
                yield workers[sample.node], sample.node, process, len(same) - 1


def _fits(found: _Found, wanted: Wanted) -> bool:
    worker, _, process, _ = found
    if wanted.rank is not None:
        return process.rank == wanted.rank
    return (worker, process.local_rank) == (wanted.worker, wanted.gpu)
