"""Threads and tasks that agents send as columns: numbers of kinds, which the node lists once.

Kinds of all nodes are told apart by number, so that two processes are alike when their numbers are.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from rankscope.analysis.wire import ProcessKind, TaskColumns, ThreadColumns, WireTask, WireThread
from rankscope.model.capture import Frame, Task, Tasks, Thread, Threads

Stack = tuple[Frame, ...]
_THREADS = {"os_thread_id": "ids"}
_TASKS = {"tid": "ids", "cpu_ticks": "cpu_ticks"}


class ColumnReader:
    """Reads the columns of one capture; what nodes repeat becomes one object."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], int] = {}
        self._kinds: list[Thread] = []
        self._tasks: dict[tuple[str, str, str], Task] = {}
        self._processes: dict[tuple[object, ...], ProcessKind] = {}
        self._alike: dict[tuple[int, ...], tuple[Thread, ...]] = {}

    def thread_kind(self, raw: WireThread, frames: Stack) -> int:
        """Return the number of what threads of a node have in common, the same for equal kinds.

        Equal frames must be the same object.
        """
        key = (id(frames), raw.thread_name, raw.active, raw.owns_gil)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._kinds)
            self._kinds.append(Thread(raw.thread_name, frames, None, raw.active, raw.owns_gil))
        return number

    def task_kind(self, raw: WireTask) -> Task:
        """Return what tasks of a node have in common; equal kinds give the same object."""
        key = (raw.comm, raw.state, raw.wchan)
        return self._tasks.get(key) or self._tasks.setdefault(key, Task(0, *key))

    def process_kind(self, raw: ProcessKind) -> ProcessKind:
        """Return what processes of a node have in common; equal kinds give the same object."""
        return self._processes.setdefault(msgspec.structs.astuple(raw), raw)

    def threads(
        self, raw: ThreadColumns, pid: int, kinds: Sequence[int]
    ) -> Threads | tuple[Thread, ...]:
        """Return the threads of a process, whose node has these kinds, by their numbers.

        Raises IndexError if the columns do not fit. Where an id is there twice, which thread is
        which is not told by the kinds: a plain tuple.
        """
        ids = raw.ids
        if len(ids) != len(raw.kinds):
            raise IndexError
        # This runs for every process of a job, so that it is all done within C.
        try:
            main = ids.index(pid)
        except ValueError:
            main = -1
        key = (main, *map(kinds.__getitem__, raw.kinds))
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = tuple([self._kinds[number] for number in key[1:]])
        return Threads(alike, ids) if len(set(ids)) == len(ids) else tuple(Threads(alike, ids))


def tasks(raw: TaskColumns, kinds: Sequence[Task]) -> Tasks:
    """Return the tasks of a process; raises IndexError if the columns do not fit."""
    if not len(raw.kinds) == len(raw.ids) == len(raw.cpu_ticks):
        raise IndexError
    return Tasks(tuple(map(kinds.__getitem__, raw.kinds)), raw.ids, raw.cpu_ticks)


def with_rows(process: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a process with all its fields and rows, whatever may be wrong with its columns."""
    process = {**_kind(_list(node.get("process_kinds")), process.get("kind")), **process}
    threads, tasks = process.get("threads"), process.get("tasks")
    if isinstance(threads, dict):
        process = {**process, "threads": _rows(threads, node.get("thread_kinds"), _THREADS)}
    if isinstance(tasks, dict):
        process = {**process, "tasks": _rows(tasks, node.get("task_kinds"), _TASKS)}
    return process


def _rows(columns: Mapping[str, Any], kinds: object, own: Mapping[str, str]) -> list[Any]:
    numbers, *values = (_list(columns.get(name)) for name in ("kinds", *own.values()))
    return [
        {**_kind(_list(kinds), number), **dict(zip(own, mine, strict=True))}
        for number, *mine in zip_longest(numbers, *values)
    ]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _kind(kinds: Sequence[Any], number: object) -> dict[str, Any]:
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(kinds):
        return {}
    return kinds[number] if isinstance(kinds[number], dict) else {}
