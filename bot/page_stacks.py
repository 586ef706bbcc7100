"""What the Stacks view shows of a capture: places, filters, and two ranks side by side; pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rankscope.analysis.names import location
from rankscope.analysis.threads import main_thread
from rankscope.model.capture import Capture, Frame, NodeSample, Process, Role, Thread

MOST_PLACES = 64
"""How many ranks one page lists before it asks for a filter; a phone must be able to load it."""
MOST_THREADS = 100
MOST_LINES = 200
"""How many threads of a process and frames of a stack a page shows, the innermost ones."""

_KEY = re.compile(r"(?:worker-(?P<worker>\d{1,6}))?-?(?:gpu-(?P<gpu>\d{1,6}))?", re.ASCII)
_RANK = re.compile(r"(?:rank)?[ -]?(?P<rank>\d{1,9})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Filter:
    """What a reader asked for: a node by name, and a rank or a place such as `worker-0-gpu-0`."""

    node: str = ""
    worker: int | None = None
    gpu: int | None = None
    rank: int | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether it names one place, so that its stacks are shown unfolded."""
        return self.rank is not None or self.gpu is not None


@dataclass(frozen=True, slots=True)
class Line:
    """One frame; `differs` where the stack has left the path it shares with the other rank."""

    name: str
    place: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Stack:
    """One thread with its frames, innermost first; left_out counts the outer ones not shown."""

    name: str
    active: bool | None
    owns_gil: bool | None
    lines: tuple[Line, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """The processes of one rank; `moved` compares its main thread in all samples.

    key is `worker-<index of the node>-gpu-<local rank>`, empty for processes without a rank.
    """

    key: str
    node: str
    rank: int | None
    trainer: Process | None
    helpers: tuple[Process, ...]
    moved: bool | None = None


def parse_filter(node: str, wanted: str) -> Filter:
    """Read `5`, `rank 5`, `gpu-1`, `worker-0` or `worker-0-gpu-1`; all else filters nothing."""
    text = wanted.strip().lower()
    if text and (found := _RANK.fullmatch(text)):
        return Filter(node, rank=int(found["rank"]))
    if text and (found := _KEY.fullmatch(text)):
        worker, gpu = (None if part is None else int(part) for part in found.groups())
        return Filter(node, worker=worker, gpu=gpu)
    return Filter(node)


def workers_of(capture: Capture) -> dict[str, int]:
    """Return the index of every node, in the order they were asked, then as they answered."""
    answered = (sample.node for sample in capture.samples)
    names = dict.fromkeys((*capture.header.requested_nodes, *answered))
    return {name: index for index, name in enumerate(names)}


def sample_numbers(capture: Capture) -> list[int]:
    """Return the numbers of the samples that are there."""
    return sorted({sample.sample for sample in capture.samples})


def places(capture: Capture, sample: int) -> list[Place]:
    """Return every rank's processes in one sample, by node and rank, those without a rank last."""
    workers = workers_of(capture)
    stood = _main_paths(capture)
    found: list[Place] = []
    for answer in capture.samples:
        if answer.sample == sample:
            found += _places_of(answer, workers[answer.node], stood)
    return sorted(found, key=lambda p: (p.rank is None, workers[p.node], p.rank or 0))


def _places_of(
    answer: NodeSample, worker: int, stood: Mapping[tuple[str, int | None], set[tuple[Frame, ...]]]
) -> Iterable[Place]:
    by_rank: dict[int | None, list[Process]] = {}
    for process in answer.processes:
        by_rank.setdefault(process.rank, []).append(process)
    for rank, processes in by_rank.items():
        trainer = None if rank is None else _trainer(processes)
        local = trainer.local_rank if trainer else None
        paths = stood.get((answer.node, rank), set())
        yield Place(
            key=f"worker-{worker}-gpu-{'?' if local is None else local}" if trainer else "",
            node=answer.node,
            rank=rank,
            trainer=trainer,
            helpers=tuple(process for process in processes if process is not trainer),
            moved=len(paths) > 1 if trainer and paths else None,
        )


def _trainer(processes: Sequence[Process]) -> Process | None:
    found = (process for process in processes if process.role is Role.TRAINER)
    dead = (process for process in processes if process.role is Role.DEAD)
    return next(found, None) or next(dead, None)


def _main_paths(capture: Capture) -> dict[tuple[str, int | None], set[tuple[Frame, ...]]]:
    """Return the different main-thread stacks of every trainer; one sample tells nothing."""
    if len(sample_numbers(capture)) < 2:
        return {}
    paths: dict[tuple[str, int | None], set[tuple[Frame, ...]]] = {}
    for answer in capture.samples:
        for process in answer.processes:
            main = main_thread(process)
            if process.role is Role.TRAINER and main:
                paths.setdefault((answer.node, process.rank), set()).add(main.frames)
    return paths


def matches(place: Place, wanted: Filter) -> bool:
    """Whether a place is what the reader asked for."""
    worker, _, gpu = place.key.removeprefix("worker-").partition("-gpu-")
    return (
        wanted.node in {"", place.node}
        and (wanted.rank is None or wanted.rank == place.rank)
        and (wanted.worker is None or worker == str(wanted.worker))
        and (wanted.gpu is None or gpu == str(wanted.gpu))
    )


Known = dict[tuple[Frame, ...], tuple[Line, ...]]
"""The lines of stacks that were built before; many ranks stand at the same place."""


def stacks(process: Process, known: Known | None = None) -> list[Stack]:
    """Return some of a process's threads for reading, the main thread first."""
    known = {} if known is None else known
    main = main_thread(process)
    ordered = sorted(process.threads, key=lambda thread: thread is not main)
    return [_short(thread, known) for thread in ordered[:MOST_THREADS]]


def _short(thread: Thread, known: Known) -> Stack:
    frames = thread.frames[:MOST_LINES]
    lines = known.get(frames)
    if lines is None:
        lines = known[frames] = _lines(frames)
    left_out = len(thread.frames) - len(frames)
    return Stack(thread.name or "", thread.active, thread.owns_gil, lines, left_out)


def _stack(thread: Thread) -> Stack:
    return Stack(thread.name or "", thread.active, thread.owns_gil, _lines(thread.frames))


def _lines(frames: Iterable[Frame]) -> tuple[Line, ...]:
    return tuple(Line(frame.name or "?", location(frame)) for frame in frames)


def side_by_side(one: Process, other: Process) -> tuple[Stack, Stack] | None:
    """Return two main threads; lines are marked from where their paths part, seen from outside."""
    mains = main_thread(one), main_thread(other)
    if mains[0] is None or mains[1] is None:
        return None
    left, right = _stack(mains[0]), _stack(mains[1])
    shared = _shared(left.lines, right.lines)
    return _marked(left, shared), _marked(right, shared)


def _shared(left: Sequence[Line], right: Sequence[Line]) -> int:
    same = 0
    for a, b in zip(reversed(left), reversed(right), strict=False):
        if a != b:
            break
        same += 1
    return same


def _marked(stack: Stack, shared: int) -> Stack:
    parted = len(stack.lines) - shared
    shown = stack.lines[:MOST_LINES]
    lines = tuple(replace(line, differs=index < parted) for index, line in enumerate(shown))
    return replace(stack, lines=lines, left_out=len(stack.lines) - len(lines))
