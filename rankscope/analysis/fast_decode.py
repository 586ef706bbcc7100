"""Decodes well-formed node lines without a look at every field in Python.

A line that is not exactly as agents write it is left to `rankscope.analysis.decode`, which drops
what is wrong and keeps the rest; both give the same for the same line.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from rankscope.analysis.columns import ColumnReader, Stack, tasks
from rankscope.analysis.wire import (
    DECODER,
    SMALL_LINE,
    ProcessKind,
    TaskColumns,
    ThreadColumns,
    WireNode,
    WireProcess,
    WireThread,
    cut,
)
from rankscope.model.capture import NodeSample, Process, Task, Tasks, Thread, Threads


@dataclass(frozen=True, slots=True)
class _Lists:
    """What a node lists once, and its processes name by number."""

    stacks: list[Stack]
    thread_kinds: list[int]
    task_kinds: list[Task]
    process_kinds: list[ProcessKind]


class FastDecoder:
    """Decodes node lines; stacks are compared as text, so that equal ones are read once."""

    def __init__(self, read_stack: Callable[[object], Stack]) -> None:
        self._read_stack = read_stack
        self._by_text: dict[bytes, Stack] = {}
        self._names: dict[str | None, str | None] = {}
        self._columns = ColumnReader()

    def node(self, line: bytes) -> NodeSample | None:
        """Decode a line; None when it is not a well-formed node line."""
        try:
            raw = DECODER.decode(line)
            lists = self._lists(raw)
            left_out = cut(raw.processes) if len(line) >= SMALL_LINE else 0
            processes = tuple([self._process(process, lists) for process in raw.processes])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError):
            return None
        return NodeSample(
            raw.node, raw.sample, raw.taken_at, raw.agent, raw.error, processes, left_out
        )

    def _lists(self, raw: WireNode) -> _Lists:
        stacks = [self._stack(bytes(stack)) for stack in raw.stacks or ()]
        kind_of = self._columns.thread_kind
        return _Lists(
            stacks,
            [kind_of(kind, self._frames(kind, stacks)) for kind in raw.thread_kinds or ()],
            [self._columns.task_kind(kind) for kind in raw.task_kinds or ()],
            [self._columns.process_kind(kind) for kind in raw.process_kinds or ()],
        )

    def _process(self, raw: WireProcess, lists: _Lists) -> Process:
        common = raw if raw.kind is None else lists.process_kinds[raw.kind]
        if common.role is None:
            raise IndexError
        return Process(
            raw.pid, raw.ppid, raw.rank, raw.local_rank, common.role,
            (common.state or "")[:1], common.wchan or "", common.cmdline or (), raw.env or {},
            common.python, common.mode or "", common.error, common.pause_ms,
            self._tasks(raw.tasks, lists), self._threads(raw, lists),
        )  # fmt: skip

    def _tasks(
        self, raw: tuple[Task, ...] | TaskColumns | None, lists: _Lists
    ) -> tuple[Task, ...] | Tasks:
        return tasks(raw, lists.task_kinds) if isinstance(raw, TaskColumns) else raw or ()

    def _threads(self, raw: WireProcess, lists: _Lists) -> tuple[Thread, ...] | Threads:
        threads = raw.threads
        if not threads:
            return ()
        if isinstance(threads, ThreadColumns):
            return self._columns.threads(threads, raw.pid, lists.thread_kinds)
        return tuple(self._rows(threads, lists.stacks))

    def _rows(self, raw: Iterable[WireThread], stacks: list[Stack]) -> Iterator[Thread]:
        """Decode threads; this runs ten times per rank, so that its lookups are kept short."""
        one = self._names.setdefault  # One object for each name, which all nodes repeat.
        for t in raw:
            name = t.thread_name
            frames = self._frames(t, stacks)
            yield Thread(one(name, name), frames, t.os_thread_id, t.active, t.owns_gil)

    def _frames(self, raw: WireThread, stacks: list[Stack]) -> Stack:
        if raw.stack is not None:
            return stacks[raw.stack]
        text = bytes(raw.frames)
        return self._by_text.get(text) or (self._stack(text) if text else ())

    def _stack(self, text: bytes) -> Stack:
        stack = self._by_text.get(text)
        if stack is None:
            stack = self._by_text[text] = self._read_stack(msgspec.json.decode(text))
        return stack
