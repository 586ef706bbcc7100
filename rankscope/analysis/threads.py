"""Which thread of a process tells where its rank is."""

from collections.abc import Iterable
from dataclasses import dataclass

from rankscope.analysis.names import bare
from rankscope.model.capture import Process, Task, Tasks, Thread, Threads

_BOOTSTRAP = frozenset({"_bootstrap", "_bootstrap_inner", "__bootstrap", "__bootstrap_inner"})
MAIN = "MainThread"


def is_started_by_python(thread: Thread) -> bool:
    """Whether `threading` started the thread; neither the main nor autograd's threads are."""
    return any(bare(frame.name) in _BOOTSTRAP for frame in thread.frames[-3:])


def distinct(threads: Iterable[Thread]) -> tuple[Thread, ...]:
    """Drop the shadow of a thread that is being created.

    py-spy lists such a thread a second time, with its creator's id and without frames.
    """
    every = tuple(threads)
    if len({thread.os_thread_id for thread in every}) == len(every):
        return every
    best: dict[int, Thread] = {}
    unnamed = []
    for thread in every:
        if thread.os_thread_id is None:
            unnamed.append(thread)
            continue
        known = best.get(thread.os_thread_id)
        if known is None or len(thread.frames) > len(known.frames):
            best[thread.os_thread_id] = thread
    return (*best.values(), *unnamed)


def main_thread(process: Process) -> Thread | None:
    """Return the main thread.

    Its kernel id is the process id; in another process-id namespace the name, the absence of
    `threading`'s bootstrap and the module frame decide. A name alone proves nothing: it is free.
    """
    own = [t for t in process.threads if t.os_thread_id == process.pid and t.frames]
    first = max(own, key=lambda thread: len(thread.frames)) if own else None
    if first and not is_started_by_python(first):
        return first
    threads = [thread for thread in distinct(process.threads) if thread.frames]
    return max(threads, key=lambda thread: _likeness(process, thread), default=None)


def _likeness(process: Process, thread: Thread) -> tuple[bool, bool, bool, bool, int]:
    started = is_started_by_python(thread)
    module = bare(thread.frames[-1].name) == "<module>"
    return (
        thread.os_thread_id == process.pid and not started,
        thread.name == MAIN and not started,
        module and not started,
        thread.name == MAIN,
        len(thread.frames),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """What processes share whose threads stand at the same places; main is the main's index.

    is_shared: other processes may be of this shape too.
    """

    main: int | None
    is_shared: bool = True


Look = tuple[tuple[int, str | None, bool | None, bool | None, bool], ...]


def look_of(process: Process) -> Look | None:
    """Return what makes two processes look alike, or None when a thread is listed twice.

    Frames are told apart by identity: a decoder gives equal stacks as one object.
    """
    pid, threads = process.pid, process.threads
    if len({t.os_thread_id for t in threads}) != len(threads):
        return None
    return tuple(
        [(id(t.frames), t.name, t.active, t.owns_gil, t.os_thread_id == pid) for t in threads]
    )


class ShapeReader:
    """Finds the shape of processes; main threads are looked for once in each."""

    def __init__(self) -> None:
        self._by_look: dict[Look, Shape] = {}
        self._by_alike: dict[int, Shape] = {}

    def __call__(self, process: Process) -> Shape:
        """Return a process's shape; its threads must stay alive as long as this reader."""
        threads = process.threads
        if isinstance(threads, Threads):
            key = id(threads.alike)
            shape = self._by_alike.get(key)
            if shape is None:
                shape = self._by_alike[key] = Shape(_main_index(process))
            return shape
        look = look_of(process)
        if look is None:
            return Shape(_main_index(process), is_shared=False)
        shape = self._by_look.get(look)
        if shape is None:
            shape = self._by_look[look] = Shape(_main_index(process))
        return shape


def _main_index(process: Process) -> int | None:
    main = main_thread(process)
    return next((n for n, thread in enumerate(process.threads) if thread is main), None)


def task_of(process: Process, tid: int | None) -> tuple[Task | None, int | None]:
    """Return the kernel's view of a thread, where the capture has it, and its clock ticks.

    Of a task in columns that view is what it has in common with others, without id and ticks.
    """
    tasks = process.tasks
    if isinstance(tasks, Tasks):
        if tid not in tasks.ids:
            return None, None
        index = tasks.ids.index(tid)
        return tasks.alike[index], tasks.cpu_ticks[index]
    task = next((task for task in tasks if task.tid == tid), None)
    return task, task.cpu_ticks if task else None


def without_ids(process: Process) -> tuple[Thread, ...]:
    """Return the threads for questions that their ids have no part in, at less cost."""
    threads = process.threads
    return threads.alike if isinstance(threads, Threads) else threads
