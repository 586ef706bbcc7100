"""Threads and tasks that agents send as columns: numbers of kinds, which the node lists once.

Kinds of all nodes are told apart by number, so that two processes are alike when their numbers are.
"""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from rankscope.analysis.wire import TaskColumns, ThreadColumns, WireTask, WireThread
from rankscope.model.capture import Frame, Task, Tasks, Thread, Threads

Stack = tuple[Frame, ...]
ThreadKind = tuple[int, Thread]
"""A thread without an id, and a number that no other kind of the capture has."""
_THREADS = {"os_thread_id": "ids"}
_TASKS = {"tid": "ids", "cpu_ticks": "cpu_ticks"}


class ColumnReader:
    """Reads the columns of one capture; what nodes repeat becomes one object."""

    def __init__(self) -> None:
        self._threads: dict[tuple[object, ...], ThreadKind] = {}
        self._tasks: dict[tuple[str, str, str], Task] = {}
        self._alike: dict[tuple[int, ...], tuple[Thread, ...]] = {}

    def thread_kind(self, raw: WireThread, frames: Stack) -> ThreadKind:
        """Return what threads of a node have in common; equal kinds give the same object.

        Equal frames must be the same object.
        """
        key = (id(frames), raw.thread_name, raw.active, raw.owns_gil)
        kind = self._threads.get(key)
        if kind is None:
            thread = Thread(raw.thread_name, frames, None, raw.active, raw.owns_gil)
            kind = self._threads[key] = (len(self._threads), thread)
        return kind

    def task_kind(self, raw: WireTask) -> Task:
        """Return what tasks of a node have in common; equal kinds give the same object."""
        key = (raw.comm, raw.state, raw.wchan)
        return self._tasks.get(key) or self._tasks.setdefault(key, Task(0, *key))

    def threads(
        self, raw: ThreadColumns, pid: int, kinds: Sequence[ThreadKind]
    ) -> Threads | tuple[Thread, ...]:
        """Return the threads of a process; raises IndexError if the columns do not fit.

        Where an id is there twice, which thread is which is not told by the kinds: a plain tuple.
        """
        _require_equal_length(raw.kinds, raw.ids)
        mine = [kinds[number] for number in raw.kinds]
        main = raw.ids.index(pid) if pid in raw.ids else -1
        key = (main, *[number for number, _ in mine])
        alike = self._alike.get(key)
        if alike is None:
            alike = self._alike[key] = tuple([thread for _, thread in mine])
        threads = Threads(alike, raw.ids)
        return threads if len(set(raw.ids)) == len(raw.ids) else tuple(threads)


def tasks(raw: TaskColumns, kinds: tuple[Task, ...]) -> Tasks:
    """Return the tasks of a process; raises IndexError if the columns do not fit."""
    _require_equal_length(raw.kinds, raw.ids, raw.cpu_ticks)
    if max(raw.kinds, default=-1) >= len(kinds):
        raise IndexError
    return Tasks(kinds, raw.kinds, raw.ids, raw.cpu_ticks)


def _require_equal_length(*columns: tuple[object, ...]) -> None:
    if len(set(map(len, columns))) > 1:
        raise IndexError


def with_rows(process: dict[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
    """Return a process whose threads and tasks are rows, whatever may be wrong with its columns."""
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
