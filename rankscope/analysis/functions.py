"""Function Call Statistics: which function is on how many stacks, and of which ranks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from rankscope.analysis.names import bare, location
from rankscope.analysis.scene import Scene
from rankscope.analysis.trainers import Cast, Member
from rankscope.model.capture import Frame
from rankscope.model.report import FunctionStatistics


@dataclass
class _Entry:
    name: str
    location: str
    count: int = 0
    sources: set[tuple[str, int]] = field(default_factory=set)


def function_statistics(scene: Scene) -> tuple[FunctionStatistics, ...]:
    """Return the functions of the last sample, those of one rank alone first, then by count.

    A function counts once per thread it is on, however deep it recurses.
    """
    entries: dict[tuple[str, str], _Entry] = {}
    for frames, sources in _distinct_stacks(scene):
        for frame in dict.fromkeys(frames):
            where = location(frame)
            entry = entries.setdefault((bare(frame.name), where), _Entry(frame.name, where))
            entry.count += len(sources)
            entry.sources.update(sources)
    alone = len(scene.views) + len(scene.helper_only) > 1
    ordered = sorted(
        entries.values(), key=lambda e: (not (alone and len(e.sources) == 1), -e.count)
    )
    named: dict[frozenset[tuple[str, int]], tuple[str, ...]] = {}
    return tuple(_statistics(entry, named) for entry in ordered)


def _statistics(
    entry: _Entry, named: dict[frozenset[tuple[str, int]], tuple[str, ...]]
) -> FunctionStatistics:
    key = frozenset(entry.sources)
    sources = named.get(key)
    if sources is None:
        sources = named[key] = tuple(f"{node}-rank{rank}" for node, rank in sorted(key))
    return FunctionStatistics(entry.name, entry.location, entry.count, sources)


def _distinct_stacks(
    scene: Scene,
) -> Iterator[tuple[tuple[Frame, ...], list[tuple[str, int]]]]:
    """Return every stack once, with the rank of each thread that has it."""
    sources: dict[int, list[tuple[str, int]]] = {}
    stacks: dict[int, tuple[Frame, ...]] = {}
    for rank, member in _members(scene.casts[-1]) if scene.casts else ():
        for thread in member.process.threads:
            stacks[id(thread.frames)] = thread.frames
            sources.setdefault(id(thread.frames), []).append((member.node, rank))
    for identity, frames in stacks.items():
        yield frames, sources[identity]


def _members(cast: Cast) -> Iterator[tuple[int, Member]]:
    for rank, member in sorted(cast.trainers.items()):
        yield rank, member
    for rank, members in sorted(cast.helpers.items()):
        for member in members:
            yield rank, member
