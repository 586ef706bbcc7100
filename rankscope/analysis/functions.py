"""Function Call Statistics: which function is on how many stacks, and of which ranks."""

from dataclasses import dataclass, field

from rankscope.analysis.names import bare, location
from rankscope.analysis.scene import Scene
from rankscope.analysis.threads import Shape, without_ids
from rankscope.analysis.trainers import Cast, Member
from rankscope.model.capture import Frame, Process
from rankscope.model.report import FunctionStatistics


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
    crowds = _Crowds(scene.casts[-1] if scene.casts else Cast({}, {}))
    entries: dict[tuple[str, str], _Entry] = {}
    for number, stack in enumerate(crowds.stacks):
        for frame in dict.fromkeys(stack.frames):
            where = location(frame)
            entry = entries.setdefault((bare(frame.name), where), _Entry(frame.name, where))
            entry.count += stack.count
            if entry.stacks[-1:] != [number]:
                entry.stacks.append(number)
    found = [
        FunctionStatistics(entry.name, entry.location, entry.count, crowds.sources(entry.stacks))
        for entry in entries.values()
    ]
    alone = len(scene.views) + len(scene.helper_only) > 1
    return tuple(sorted(found, key=lambda f: (not (alone and len(f.sources) == 1), -f.call_count)))


@dataclass
class _Stack:
    """A distinct stack, on how many threads it is, and the numbers of the shapes that have it."""

    frames: tuple[Frame, ...]
    count: int = 0
    shapes: list[int] = field(default_factory=list)


class _Crowds:
    """The processes of one sample by shape: those of one shape have the same stacks."""

    def __init__(self, cast: Cast) -> None:
        by_shape: dict[Shape, tuple[Process, list[int]]] = {}
        self._names: list[str] = []
        for node, ranks in sorted(_by_node(cast).items()):
            for rank, members in sorted(ranks.items()):
                for member in members:
                    known = by_shape.get(member.shape)
                    if known is None:
                        known = by_shape[member.shape] = (member.process, [])
                    known[1].append(len(self._names))
                self._names.append(f"{node}-rank{rank}")
        self._holders = [holders for _, holders in by_shape.values()]
        self._known: dict[tuple[int, ...], tuple[str, ...]] = {}
        found: dict[int, _Stack] = {}
        for number, (process, holders) in enumerate(by_shape.values()):
            for thread in without_ids(process):
                stack = found.setdefault(id(thread.frames), _Stack(thread.frames))
                stack.count += len(holders)
                if stack.shapes[-1:] != [number]:
                    stack.shapes.append(number)
        self.stacks = list(found.values())

    def sources(self, stacks: list[int]) -> tuple[str, ...]:
        """Name the ranks that have any of these stacks; functions on the same share one answer."""
        shapes = {number for stack in stacks for number in self.stacks[stack].shapes}
        key = tuple(sorted(shapes))
        known = self._known.get(key)
        if known is None:
            every = {holder for number in key for holder in self._holders[number]}
            known = self._known[key] = tuple([self._names[holder] for holder in sorted(every)])
        return known


def _by_node(cast: Cast) -> dict[str, dict[int, list[Member]]]:
    found: dict[str, dict[int, list[Member]]] = {}
    for rank, member in cast.trainers.items():
        found.setdefault(member.node, {})[rank] = [member]
    for rank, members in cast.helpers.items():
        for member in members:
            found.setdefault(member.node, {}).setdefault(rank, []).append(member)
    return found
