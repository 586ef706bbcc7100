"""A node's line exactly as agents write it (docs/capture-format.md), for msgspec to decode."""

from typing import Annotated

import msgspec

from rankscope.model.capture import Role, Task

MOST_RANKS = 1 << 20
"""No job has more ranks; a larger number is damage and must not become a loop over it."""
MOST_PROCESSES, MOST_THREADS = 4096, 1 << 16
"""Of one node's line no more are read: an agent gone wrong must not stop the analysis. A node of 16
trainers with 16 data workers and 64 compile workers each has 1,300 processes."""
SMALL_LINE = MOST_PROCESSES * len('{"pid":1,"kind":0},')
"""Fewer bytes cannot hold more processes or threads than that."""
_Natural = Annotated[int, msgspec.Meta(ge=0)]
_State = Annotated[str, msgspec.Meta(max_length=1)]
_Milliseconds = Annotated[float, msgspec.Meta(gt=-1e15, lt=1e15)]
_Rank = Annotated[int, msgspec.Meta(ge=0, le=MOST_RANKS)]


class WireThread(msgspec.Struct, gc=False):
    """A thread, or what threads of a node have in common; it has frames or names a stack."""

    thread_name: str | None = None
    os_thread_id: int | None = None
    active: bool | None = None
    owns_gil: bool | None = None
    frames: msgspec.Raw = msgspec.Raw()
    stack: _Natural | None = None


class WireTask(msgspec.Struct, gc=False):
    """What tasks of a node have in common."""

    comm: str = ""
    state: _State = ""
    wchan: str = ""


class ThreadColumns(msgspec.Struct, gc=False):
    """The threads of a process, each by the number of its kind."""

    kinds: tuple[_Natural, ...]
    ids: tuple[int | None, ...]


class TaskColumns(msgspec.Struct, gc=False):
    """The tasks of a process, each by the number of its kind."""

    kinds: tuple[_Natural, ...]
    ids: tuple[int, ...]
    cpu_ticks: tuple[_Natural | None, ...]


class ProcessKind(msgspec.Struct, gc=False):
    """What processes of a node have in common."""

    role: Role
    state: _State = ""
    wchan: str = ""
    cmdline: tuple[str, ...] = ()
    python: str | None = None
    mode: str = ""
    error: str | None = None
    pause_ms: _Milliseconds | None = None


class WireProcess(msgspec.Struct, gc=False):
    """A process; its threads and tasks are rows or columns, and it has a role or a kind."""

    pid: int
    role: Role | None = None
    kind: _Natural | None = None
    ppid: int = 0
    rank: _Rank | None = None
    local_rank: _Rank | None = None
    state: str | None = ""
    wchan: str | None = ""
    cmdline: tuple[str, ...] | None = ()
    env: dict[str, str] | None = None
    python: str | None = None
    mode: str | None = ""
    error: str | None = None
    pause_ms: _Milliseconds | None = None
    tasks: tuple[Task, ...] | TaskColumns | None = ()
    threads: list[WireThread] | ThreadColumns | None = None


class WireNode(msgspec.Struct, gc=False):
    """A node's sample."""

    node: str
    sample: _Rank
    processes: list[WireProcess]
    taken_at: str | None = None
    agent: str | None = None
    error: str | None = None
    stacks: list[msgspec.Raw] | None = None
    thread_kinds: list[WireThread] | None = None
    task_kinds: list[WireTask] | None = None
    process_kinds: list[ProcessKind] | None = None


DECODER = msgspec.json.Decoder(WireNode)


def cut(processes: list[WireProcess]) -> int:
    """Drop what a line holds beyond the limits, and return how many processes and threads."""
    left_out = max(0, len(processes) - MOST_PROCESSES)
    del processes[MOST_PROCESSES:]
    room = MOST_THREADS
    for process in processes:
        threads = process.threads
        if threads:
            count = len(threads.kinds if isinstance(threads, ThreadColumns) else threads)
            if count > room:
                left_out += count - room
                _shorten(threads, room)
            room -= min(count, room)
    return left_out


def _shorten(threads: list[WireThread] | ThreadColumns, room: int) -> None:
    if isinstance(threads, ThreadColumns):
        threads.kinds, threads.ids = threads.kinds[:room], threads.ids[:room]
    else:
        del threads[room:]
