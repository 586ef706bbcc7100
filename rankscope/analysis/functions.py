"""Function Call Statistics: which function is on how many stacks, and of which ranks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from rankscope.analysis.names import bare, location
from rankscope.analysis.scene import Scene
from rankscope.analysis.threads import without_ids
from rankscope.analysis.trainers import Cast, Member
from rankscope.model.capture import Frame, Process
from rankscope.model.report import FunctionStatistics

Source = tuple[str, int]
"""A node and a rank."""


@dataclass
class _Entry:
    """One function; stacks are the numbers of the distinct stacks it is on."""

    name: str
    location: str
    count: int = 0
    stacks: list[int] = field(default_factory=list)


def function_statistics(scene: Scene) -> tuple[FunctionStatistics, ...]:
    """Return the functions of the last sample, those of one rank alone first, then by count.

    A function counts once per thread it is on, however deep it recurses.
    """
    sources, distinct = _distinct_stacks(scene)
    entries: dict[tuple[str, str], _Entry] = {}
    for number, (frames, holders) in enumerate(distinct):
        for frame in dict.fromkeys(frames):
            where = location(frame)
            entry = entries.setdefault((bare(frame.name), where), _Entry(frame.name, where))
            entry.count += len(holders)
            if entry.stacks[-1:] != [number]:
                entry.stacks.append(number)
    sources_of = _Sources(sources, [holders for _, holders in distinct])
    found = [
        FunctionStatistics(entry.name, entry.location, entry.count, sources_of(entry.stacks))
        for entry in entries.values()
    ]
    alone = len(scene.views) + len(scene.helper_only) > 1
    return tuple(sorted(found, key=lambda f: (not (alone and len(f.sources) == 1), -f.call_count)))


class _Sources:
    """Names the ranks of sets of stacks; functions on the same stacks share one answer."""

    def __init__(self, sources: list[Source], by_stack: list[list[int]]) -> None:
        self._names = [f"{node}-rank{rank}" for node, rank in sources]
        self._by_stack = by_stack
        self._known: dict[tuple[int, ...], tuple[str, ...]] = {}

    def __call__(self, stacks: list[int]) -> tuple[str, ...]:
        key = tuple(stacks)
        known = self._known.get(key)
        if known is None:
            every = {number for stack in stacks for number in self._by_stack[stack]}
            known = self._known[key] = tuple([self._names[number] for number in sorted(every)])
        return known


def _distinct_stacks(
    scene: Scene,
) -> tuple[list[Source], list[tuple[tuple[Frame, ...], list[int]]]]:
    """Return the ranks in order, and every stack once with the number of each that has it."""
    members = list(_members(scene.casts[-1])) if scene.casts else []
    sources = sorted({source for source, _ in members})
    numbers = {source: number for number, source in enumerate(sources)}
    alike: dict[object, tuple[Process, list[int]]] = {}
    for source, member in members:
        known = alike.get(member.shape)
        if known is None:
            known = alike[member.shape] = (member.process, [])
        known[1].append(numbers[source])
    found: dict[int, tuple[tuple[Frame, ...], list[int]]] = {}
    for process, holders in alike.values():
        for thread in without_ids(process):
            found.setdefault(id(thread.frames), (thread.frames, []))[1].extend(holders)
    return sources, list(found.values())


def _members(cast: Cast) -> Iterator[tuple[Source, Member]]:
    for rank, member in sorted(cast.trainers.items()):
        yield (member.node, rank), member
    for rank, members in sorted(cast.helpers.items()):
        for member in members:
            yield (member.node, rank), member
