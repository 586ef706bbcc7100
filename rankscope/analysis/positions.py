"""Where one rank's trainer is at one moment, and whether it waits for other ranks there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from rankscope.analysis.kernel import Wait, wait_of
from rankscope.analysis.rules import Match
from rankscope.analysis.stacks import Stack, StackReader
from rankscope.analysis.telling import Telling, others, telling_of
from rankscope.analysis.threads import Shape, task_of
from rankscope.model.capture import Process, Role, Task, Thread

USER = "user"
STOPPED, DEAD, NO_DUMP = "stopped", "dead", "no_dump"
_GONE = frozenset("ZXx")
_STOPPED = frozenset("Tt")
_COLLECTIVE_WAITS: frozenset[Wait] = frozenset({"", "lock", "poll", "socket", "sleep"})
_INLINE_WAITS: frozenset[Wait] = frozenset({"", "lock", "poll", "socket"})


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """A thread beside the main one that may be the reason: name, stack, and kernel wait."""

    name: str
    stack: Stack
    wait: Wait = ""


@dataclass(frozen=True)
class Position:
    """A trainer at one moment.

    family is a rule family, `user` for plain program code, or `stopped`, `dead`, `no_dump`.
    waits tells whether it can only go on when other ranks do something.
    """

    family: str
    waits: bool = False
    op: str = ""
    stack: Stack | None = None
    state: str = ""
    wait: Wait = ""
    is_running: bool = False
    owns_gil: bool = False
    is_active: bool = False
    error: str = ""
    waits_for_holder: bool = False
    others: tuple[ThreadPlace, ...] = ()  # Only of a rank that waits for a lock or a queue.
    gil_holder: ThreadPlace | None = None

    @property
    def is_unreachable(self) -> bool:
        """Whether there is no stack to reason from, or a stopped one, which proves nothing."""
        return self.family in {STOPPED, DEAD, NO_DUMP}

    @cached_property
    def site(self) -> tuple[object, ...]:
        """What makes two waiting ranks wait in the same operation."""
        return (self.family, *(self.stack.site if self.stack else ()))


@dataclass(frozen=True, slots=True)
class _Judgement:
    """What a stack means together with the kernel's view of its thread."""

    family: str = USER
    op: str = ""
    waits: bool = False
    for_holder: bool = False


_PLAIN = _Judgement()


class PositionReader:
    """Tells where trainers are; those of one shape, alike for the kernel too, share a position.

    active_tells: py-spy's `active` differs between threads; dumped from another process-id
    namespace every thread is active.
    """

    def __init__(self, reader: StackReader, *, active_tells: bool = True) -> None:
        self._reader = reader
        self._active_tells = active_tells
        self._telling: dict[Shape, Telling] = {}
        self._known: dict[tuple[object, ...], Position] = {}

    def __call__(self, process: Process, shape: Shape) -> tuple[Position, int | None]:
        """Return where a trainer is, and the clock ticks that its telling thread has used."""
        if shape.main is None:
            return _ended(_without_stack(process), process), None
        telling = self._telling.get(shape)
        if telling is None:
            telling = self._telling[shape] = telling_of(process, shape.main, self._reader)
        is_main = telling.index == shape.main
        tid = process.pid if is_main else process.threads[telling.index].os_thread_id
        task, ticks = task_of(process, tid)
        seen = (task.state, task.wchan) if task else None
        key = (shape, process.role, process.state, process.wchan, process.error, seen)
        known = self._known.get(key)
        if known is None:
            known = _ended(self._found(process, shape.main, telling, task), process)
            # What other threads wait for is no part of the shape.
            if shape.is_shared and not known.others:
                self._known[key] = known
        return known, ticks

    def _found(self, process: Process, main: int, telling: Telling, task: Task | None) -> Position:
        thread, stack = process.threads[telling.index], telling.stack
        is_main = telling.index == main
        state = task.state if task and task.state else process.state if is_main else ""
        is_active = self._active_tells and bool(thread.active)
        wait = wait_of(task.wchan if task and task.wchan else process.wchan if is_main else "")
        # py-spy's word counts only where the kernel's is missing.
        is_running = state == "R" if state else is_active
        judged = _judged(telling, wait, is_running)
        beside = [one for one in others(process, process.threads[main]) if one is not thread]
        return Position(
            family=judged.family,
            waits=judged.waits,
            op=judged.op,
            stack=stack,
            state=state,
            wait=wait,
            is_running=is_running,
            owns_gil=bool(thread.owns_gil),
            is_active=is_active,
            waits_for_holder=judged.for_holder,
            others=_busy(process, beside, self._reader) if judged.family == "lock_queue" else (),
            gil_holder=_gil_holder(beside, self._reader),
        )


def _ended(found: Position, process: Process) -> Position:
    """Return the position of a process that may have ended or been stopped."""
    if process.role is Role.DEAD or found.state in _GONE:
        return replace(found, family=DEAD, waits=False, error=process.error or "")
    if found.state in _STOPPED or process.state in _STOPPED or found.wait == "stop":
        return replace(found, family=STOPPED, waits=False, state="T", error=process.error or "")
    return found


def _without_stack(process: Process) -> Position:
    return Position(
        family=NO_DUMP,
        state=process.state,
        wait=wait_of(process.wchan),
        error=process.error or "",
    )


def _busy(
    process: Process, beside: Iterable[Thread], reader: StackReader
) -> tuple[ThreadPlace, ...]:
    return tuple(
        ThreadPlace(thread.name or "", reader.read(thread.frames), _wait_of(process, thread))
        for thread in beside
        if thread.frames and not reader.is_service(thread.frames)
    )


def _wait_of(process: Process, thread: Thread) -> Wait:
    task, _ = task_of(process, thread.os_thread_id)
    return wait_of(task.wchan) if task else ""


def _gil_holder(beside: Iterable[Thread], reader: StackReader) -> ThreadPlace | None:
    for thread in beside:
        if thread.owns_gil and thread.frames:
            return ThreadPlace(thread.name or "", reader.read(thread.frames))
    return None


def _judged(telling: Telling, wait: Wait, is_running: bool) -> _Judgement:
    stack, meaning = telling.stack, telling.stack.meaning
    if meaning is None:
        return _judged_inline(stack.inline, wait, is_running)
    family, waits_for = meaning.family.name, meaning.family.waits_for
    if waits_for == "peers" and meaning.plain and wait not in _COLLECTIVE_WAITS:
        return _PLAIN
    return _Judgement(
        family,
        meaning.op,
        waits=waits_for == "peers"
        # The engine may compute in C++, unless a thread of it was found in Python.
        or (waits_for == "peers_unless_running" and not (telling.is_autograd or is_running)),
        for_holder=waits_for == "holder",
    )


def _judged_inline(inline: Match | None, wait: Wait, is_running: bool) -> _Judgement:
    """Judge a function named after a collective: with nothing below it waits if it sleeps."""
    if inline is None or is_running or wait not in _INLINE_WAITS:
        return _PLAIN
    return _Judgement(inline.family.name, inline.op, waits=True)
