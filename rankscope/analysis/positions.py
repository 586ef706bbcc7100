"""Where one rank's trainer is at one moment, and whether it waits for other ranks there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rankscope.analysis.kernel import Wait, wait_of
from rankscope.analysis.rules import Match
from rankscope.analysis.stacks import Stack, StackReader
from rankscope.analysis.threads import distinct, is_started_by_python, main_thread, task_of
from rankscope.model.capture import Process, Role, Task, Thread

USER = "user"
STOPPED, DEAD, NO_DUMP = "stopped", "dead", "no_dump"
_GONE = frozenset("ZXx")
_STOPPED = frozenset("Tt")
_COLLECTIVE_WAITS: frozenset[Wait] = frozenset({"", "lock", "poll", "socket", "sleep"})
_INLINE_WAITS: frozenset[Wait] = frozenset({"", "lock", "poll", "socket"})


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """A thread beside the main one that may be the reason: its name and its stack."""

    name: str
    stack: Stack


@dataclass(frozen=True, slots=True)
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
    cpu_ticks: int | None = None
    error: str = ""
    waits_for_holder: bool = False
    others: tuple[ThreadPlace, ...] = ()
    gil_holder: ThreadPlace | None = None

    @property
    def is_unreachable(self) -> bool:
        """Whether there is no stack to reason from, or a stopped one, which proves nothing."""
        return self.family in {STOPPED, DEAD, NO_DUMP}

    @property
    def site(self) -> tuple[object, ...]:
        """What makes two waiting ranks wait in the same operation."""
        return (self.family, *(self.stack.site if self.stack else ()))


def position_of(process: Process, reader: StackReader, *, active_tells: bool = True) -> Position:
    """Return where a trainer is.

    active_tells: py-spy's `active` differs between threads; dumped from another process-id
    namespace every thread is active.
    """
    main = main_thread(process)
    found = _with_stack(process, main, reader, active_tells) if main else _without_stack(process)
    if process.role is Role.DEAD or found.state in _GONE:
        return replace(found, family=DEAD, waits=False, error=process.error or "")
    if found.state in _STOPPED or process.state in _STOPPED:
        return replace(found, family=STOPPED, waits=False, state="T", error=process.error or "")
    return found


def _without_stack(process: Process) -> Position:
    return Position(
        family=NO_DUMP,
        state=process.state,
        wait=wait_of(process.wchan),
        error=process.error or "",
    )


def _with_stack(
    process: Process, main: Thread, reader: StackReader, active_tells: bool
) -> Position:
    others = tuple(thread for thread in distinct(process.threads) if thread is not main)
    thread, stack = _telling(main, others, reader)
    task = task_of(process, thread, is_main=thread is main)
    state = task.state if task and task.state else process.state
    is_active = active_tells and bool(thread.active)
    position = Position(
        family=USER,
        stack=stack,
        state=state,
        wait=wait_of(_wchan(process, task)),
        # py-spy's word counts only where the kernel's is missing.
        is_running=state == "R" if state else is_active,
        owns_gil=bool(thread.owns_gil),
        is_active=is_active,
        cpu_ticks=task.cpu_ticks if task else None,
        others=_busy(others, thread, reader),
        gil_holder=_gil_holder(others, thread, reader),
    )
    return _judged(position, _autograd_threads(others, reader))


def _telling(main: Thread, others: Iterable[Thread], reader: StackReader) -> tuple[Thread, Stack]:
    """Return the main thread, or the training thread that the main one waits for."""
    stack = reader.read(main.frames)
    if stack.meaning and stack.meaning.family.name in {"lock_queue", "shutdown"}:
        for thread in others:
            if thread.frames and not reader.is_service(thread.frames):
                beside = reader.read(thread.frames)
                if beside.meaning and beside.meaning.family.waits_for != "nobody":
                    return thread, beside
    return main, stack


def _wchan(process: Process, task: Task | None) -> str:
    return task.wchan if task and task.wchan else process.wchan


def _busy(
    others: Iterable[Thread], telling: Thread, reader: StackReader
) -> tuple[ThreadPlace, ...]:
    return tuple(
        ThreadPlace(thread.name or "", reader.read(thread.frames))
        for thread in others
        if thread is not telling and thread.frames and not reader.is_service(thread.frames)
    )


def _gil_holder(
    others: Iterable[Thread], telling: Thread, reader: StackReader
) -> ThreadPlace | None:
    for thread in others:
        if thread.owns_gil and thread is not telling and thread.frames:
            return ThreadPlace(thread.name or "", reader.read(thread.frames))
    return None


def _autograd_threads(others: Iterable[Thread], reader: StackReader) -> tuple[Stack, ...]:
    return tuple(
        reader.read(thread.frames)
        for thread in others
        if thread.frames
        and not is_started_by_python(thread)
        and not reader.is_service(thread.frames)
    )


def _judged(position: Position, autograd: tuple[Stack, ...]) -> Position:
    stack = position.stack
    meaning = stack.meaning if stack else None
    if meaning is None:
        return _judged_inline(position, stack.inline if stack else None)
    named = replace(position, family=meaning.family.name, op=meaning.op)
    if meaning.family.waits_for == "peers_unless_running":
        return _judged_backward(named, autograd)
    if meaning.family.waits_for == "holder":
        return replace(named, waits_for_holder=True)
    if meaning.family.waits_for != "peers":
        return named
    if meaning.plain and position.wait not in _COLLECTIVE_WAITS:
        return position
    return replace(named, waits=True)


def _judged_inline(position: Position, inline: Match | None) -> Position:
    """Judge a function named after a collective: with nothing below it waits if it sleeps."""
    if inline is None or position.is_running or position.wait not in _INLINE_WAITS:
        return position
    return replace(position, family=inline.family.name, op=inline.op, waits=True)


def _judged_backward(position: Position, autograd: tuple[Stack, ...]) -> Position:
    """Judge backward by the engine's own threads where they have frames, else by its state."""
    for stack in autograd:
        meaning = stack.meaning
        if meaning and meaning.family.waits_for == "peers":
            return replace(position, family=meaning.family.name, op=meaning.op, waits=True)
    if autograd or position.is_running:
        return position
    return replace(position, waits=True)
