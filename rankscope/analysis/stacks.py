"""What one stack means: the operation it waits in, and where it is in the program."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rankscope.analysis.names import Kind, bare, frame_kind, tail
from rankscope.analysis.rules import Match, RuleBook
from rankscope.analysis.threads import Shape, ShapeReader
from rankscope.model.capture import Frame, Process, Thread

Step = tuple[str, str]
"""A function and its file, without the line."""
Place = tuple[str, str, int]
"""A function, its file and the line."""

_WRAPPERS = frozenset({"wrapper", "inner", "_fn", "decorate_context", "_wrapped_call_impl"})
_TENSOR_PARALLEL = ("tensor_parallel", "mpu/", "megatron/mpu", "/tp/", "/tp.py", "/tp_")
_TENSOR_PARALLEL_NAMES = ("rowparallel", "columnparallel", "tensormodelparallel", "fromtp", "totp")


@dataclass(frozen=True, eq=False)
class Stack:
    """One distinct stack with its meaning; `meaning` is None in plain program code.

    frames run from the innermost to the outermost; depth is the index of the meaningful frame;
    section is the outermost function that is named after work of one rank alone; calls_from is the
    index of the first frame outside the operation, under whatever names it is wrapped.
    """

    frames: tuple[Frame, ...]
    meaning: Match | None
    depth: int
    inline: Match | None
    section: Step | None = None
    calls_from: int = 0

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Every frame, innermost first, comparable over nodes and Python versions."""
        return tuple((bare(f.name), tail(f.filename), f.line) for f in self.frames)

    @cached_property
    def program(self) -> tuple[Place, ...]:
        """The frames of the training program, outermost first; all frames if there are none."""
        kinds = [frame_kind(frame) for frame in self.frames]
        kept = [p for p, kind in zip(self.places, kinds, strict=True) if kind.is_program]
        return tuple(reversed(kept or self.places))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The program's functions without lines, outermost first."""
        return tuple(place[:2] for place in self.program)

    @cached_property
    def caller_steps(self) -> tuple[Step, ...]:
        """The program's functions outside the operation, outermost first."""
        outer = zip(self.frames[self.calls_from :], self.places[self.calls_from :], strict=True)
        kept = [place[:2] for frame, place in outer if frame_kind(frame).is_program]
        return tuple(reversed(kept))

    @cached_property
    def callers(self) -> tuple[Place, ...]:
        """The frames outside the operation, innermost first."""
        return self.places[self.calls_from :]

    @cached_property
    def functions(self) -> tuple[Step, ...]:
        """All functions outermost first, wrappers folded: what makes two ranks one group."""
        kept = [place[:2] for place in self.places if place[0] not in _WRAPPERS]
        return tuple(reversed(kept))

    @cached_property
    def site(self) -> tuple[object, ...]:
        """The operation and the place in the program that called it."""
        start = self.depth + 1 if self.meaning and self.meaning.family.strength == "firm" else 0
        outer = zip(self.places[start:], self.frames[start:], strict=True)
        own = (place for place, frame in outer if frame_kind(frame).is_program)
        caller = next(own, self.places[-1] if self.places else None)
        return (self.meaning.op if self.meaning else "", caller)

    @cached_property
    def shown(self) -> Frame | None:
        """The program's innermost frame, or the one that called the operation, else any."""
        waits = self.meaning is not None and self.meaning.family.waits_for != "nobody"
        start = self.depth + 1 if waits and self.meaning and self.meaning.plain else 0
        own = (frame for frame in self.frames[start:] if frame_kind(frame).is_program)
        return next(own, self.frames[0] if self.frames else None)

    @property
    def is_sharded(self) -> bool:
        """Whether sharded parameters are being gathered, which concerns more than a few ranks."""
        return any("fsdp" in frame.filename or "/zero/" in frame.filename for frame in self.frames)

    @cached_property
    def is_in_layer(self) -> bool:
        """Whether the operation was called from within a layer of the model."""
        return any(
            frame.filename.endswith("torch/nn/modules/module.py")
            for frame in self.frames[self.depth :]
        )

    @cached_property
    def is_in_autograd(self) -> bool:
        """Whether the gradients are being computed, by torch or by a function of the program's."""
        return any("torch/autograd/" in frame.filename for frame in self.frames)

    @cached_property
    def is_tensor_parallel(self) -> bool:
        """Whether a tensor-parallel layer is on the way: its group is a few neighbours only."""
        text = [(f"{f.name}".lower().replace("_", ""), f.filename.lower()) for f in self.frames]
        return any(
            any(part in path for part in _TENSOR_PARALLEL)
            or any(part in name for part in _TENSOR_PARALLEL_NAMES)
            for name, path in text
        )


class StackReader:
    """Reads stacks by a rule book; each distinct stack is read once."""

    def __init__(self, rules: RuleBook) -> None:
        self.rules = rules
        self._matches: dict[Frame, tuple[Match, ...]] = {}
        self._by_identity: dict[int, Stack] = {}
        self._by_frames: dict[tuple[Frame, ...], Stack] = {}
        self._service_of: dict[tuple[int, str], str] = {}
        self._joined: dict[tuple[int, int], tuple[Frame, ...]] = {}
        self._roles: dict[Shape, str] = {}
        self.shape_of = ShapeReader()

    def read(self, frames: tuple[Frame, ...]) -> Stack:
        """Return the meaning of a stack; frames must stay alive as long as the reader."""
        stack = self._by_identity.get(id(frames))
        if stack is None:
            stack = self._by_frames.get(frames) or self._complete(self._read(frames))
            self._by_identity[id(frames)] = stack
            self._by_frames[frames] = stack
        return stack

    def joined(self, inner: tuple[Frame, ...], outer: tuple[Frame, ...]) -> tuple[Frame, ...]:
        """Return two threads' frames as those of one; both must stay alive as long as the reader.

        Equal pairs give the same object.
        """
        key = (id(inner), id(outer))
        frames = self._joined.get(key)
        if frames is None:
            frames = self._joined[key] = (*inner, *outer)
        return frames

    def main_thread(self, process: Process) -> Thread | None:
        """Return a process's main thread."""
        index = self.shape_of(process).main
        return None if index is None else process.threads[index]

    def process_role(self, process: Process) -> str:
        """Return `dataloader`, `compile`, … of a process in a worker loop, else ``""``."""
        return self.role_of(self.shape_of(process), process)

    def role_of(self, shape: Shape, process: Process) -> str:
        """Return the role of a process of this shape."""
        role = self._roles.get(shape)
        if role is None:
            main = None if shape.main is None else process.threads[shape.main]
            role = self._find_service(main.frames, "worker_process") if main else ""
            self._roles[shape] = role
        return role

    def is_worker_loop(self, frame: Frame) -> bool:
        """Whether a frame is the loop of a worker process; its caller's frames lie further out."""
        return any(match.family.name == "worker_process" for match in self.matches_of(frame))

    def is_idle_main(self, frames: tuple[Frame, ...]) -> bool:
        """Whether a main thread idles by design while another thread trains."""
        return bool(self._service(frames, "idle_main"))

    def is_service(self, frames: tuple[Frame, ...]) -> bool:
        """Whether a thread waits by design, or has no Python frames at all."""
        return not frames or bool(self._service(frames, "service"))

    def _service(self, frames: tuple[Frame, ...], family: str) -> str:
        key = (id(frames), family)
        if key not in self._service_of:
            self._service_of[key] = self._find_service(frames, family)
        return self._service_of[key]

    def _find_service(self, frames: tuple[Frame, ...], family: str) -> str:
        runs_program = False
        for frame in frames:
            kind = frame_kind(frame)
            for match in self.matches_of(frame):
                # A thread of Python's own pools that runs the program's code is not idle.
                if match.family.name == family and not (runs_program and kind is Kind.PYTHON):
                    return match.op
            runs_program = runs_program or kind.is_program
        return ""

    def matches_of(self, frame: Frame) -> tuple[Match, ...]:
        """Return what a frame means by the rules, looked up once."""
        found = self._matches.get(frame)
        if found is None:
            found = self._matches[frame] = self.rules.matches(frame)
        return found

    def _complete(self, stack: Stack) -> Stack:
        """Add what does not depend on the meaning's strength: section and callers."""
        sections = [
            (bare(frame.name), tail(frame.filename))
            for frame in stack.frames
            if any(m.family.strength == "section" for m in self.matches_of(frame))
        ]
        outside = stack.depth
        if stack.meaning:
            family = stack.meaning.family.name
            same = [
                index
                for index, frame in enumerate(stack.frames)
                if any(m.family.name == family for m in self.matches_of(frame))
            ]
            outside = 1 + max((i for i in same if i >= stack.depth), default=stack.depth)
        return replace(stack, section=sections[-1] if sections else None, calls_from=outside)

    def _read(self, frames: tuple[Frame, ...]) -> Stack:
        leaf = _first_python(frames)
        soft: tuple[Match, int] | None = None
        for index, frame in enumerate(frames):
            for match in self.matches_of(frame):
                strength = match.family.strength
                if strength == "firm" and _is_firm(frames, index, match, soft and soft[0]):
                    return self._outermost(frames, index, match)
                if strength == "leaf" and index <= leaf:
                    return Stack(frames, match, index, None)
                if strength == "soft" and soft is None and _is_library_only(frames, index, frame):
                    soft = (match, index)
        if soft:
            return Stack(frames, soft[0], soft[1], None)
        return Stack(frames, None, 0, self._inline(frames, leaf))

    def _outermost(self, frames: tuple[Frame, ...], index: int, match: Match) -> Stack:
        """Follow a collective that is built of others, in one file, to the one that was called."""
        for outer in range(index + 1, len(frames) if match.plain else 0):
            found = [m for m in self.matches_of(frames[outer]) if m.family == match.family]
            if frames[outer].filename != frames[index].filename:
                break
            if found:
                index, match = outer, found[0]
        return Stack(frames, match, index, None)

    def _inline(self, frames: tuple[Frame, ...], leaf: int) -> Match | None:
        if leaf >= len(frames):
            return None
        matches = self.matches_of(frames[leaf])
        return next((m for m in matches if m.family.strength == "inline"), None)


def _first_python(frames: Sequence[Frame]) -> int:
    """Return the index of the innermost frame that is not native."""
    for index, frame in enumerate(frames):
        if frame_kind(frame) is not Kind.NATIVE:
            return index
    return len(frames)


def _is_firm(frames: Sequence[Frame], index: int, match: Match, soft: Match | None) -> bool:
    """Whether nothing further in takes the meaning away.

    A rank that was called back out of a collective runs the program's code; one that waits for the
    device somewhere inside a checkpoint waits for the device.
    """
    if match.family.waits_for == "nobody":
        return soft is None or soft.family.name != "device_sync"
    return _is_library_only(frames, index, frames[index])


def _is_library_only(frames: Sequence[Frame], index: int, own: Frame) -> bool:
    return all(
        not frame_kind(frame).is_program or frame.filename == own.filename
        for frame in frames[:index]
    )
