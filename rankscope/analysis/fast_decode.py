"""Decodes well-formed node lines without a look at every field in Python.

A line that is not exactly as agents write it is left to `rankscope.analysis.decode`, which drops
what is wrong and keeps the rest; both give the same for the same line.
"""

from collections.abc import Callable

import msgspec

from rankscope.model.capture import Frame, NodeSample, Process, Role, Task, Thread

Stack = tuple[Frame, ...]


class _Thread(msgspec.Struct, gc=False):
    thread_name: str | None = None
    os_thread_id: int | None = None
    active: bool | None = None
    owns_gil: bool | None = None
    frames: msgspec.Raw = msgspec.Raw()
    stack: int | None = None


class _Task(msgspec.Struct, gc=False):
    tid: int
    comm: str | None = ""
    state: str | None = ""
    wchan: str | None = ""
    cpu_ticks: int | None = None


class _Process(msgspec.Struct):
    pid: int
    role: Role
    ppid: int = 0
    rank: int | None = None
    local_rank: int | None = None
    state: str | None = ""
    wchan: str | None = ""
    cmdline: tuple[str, ...] | None = ()
    env: dict[str, str] | None = None
    python: str | None = None
    mode: str | None = ""
    error: str | None = None
    pause_ms: float | None = None
    tasks: list[_Task] | None = None
    threads: list[_Thread] | None = None


class _Node(msgspec.Struct):
    node: str
    sample: int
    processes: list[_Process]
    taken_at: str | None = None
    agent: str | None = None
    error: str | None = None
    stacks: list[msgspec.Raw] | None = None


_DECODER = msgspec.json.Decoder(_Node)


class FastDecoder:
    """Decodes node lines; stacks are compared as text, so that equal ones are read once."""

    def __init__(self, read_stack: Callable[[object], Stack], most_ranks: int) -> None:
        self._read_stack = read_stack
        self._most_ranks = most_ranks
        self._by_text: dict[bytes, Stack] = {}
        self._texts: dict[str, str] = {}

    def node(self, line: bytes) -> NodeSample | None:
        """Decode a line; None when it is not a well-formed node line."""
        try:
            raw = _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        listed = [self._stack(bytes(stack)) for stack in raw.stacks or ()]
        try:
            processes = tuple(self._process(process, listed) for process in raw.processes)
        except (IndexError, ValueError):
            return None
        return NodeSample(raw.node, raw.sample, raw.taken_at, raw.agent, raw.error, processes)

    def _process(self, raw: _Process, listed: list[Stack]) -> Process:
        if not all(n is None or 0 <= n <= self._most_ranks for n in (raw.rank, raw.local_rank)):
            raise ValueError("a rank out of range")
        return Process(
            raw.pid, raw.ppid, raw.rank, raw.local_rank, raw.role,
            (raw.state or "")[:1], raw.wchan or "", raw.cmdline or (), raw.env or {}, raw.python,
            raw.mode or "", raw.error, raw.pause_ms,
            tuple([self._task(task) for task in raw.tasks or ()]),
            tuple([self._thread(thread, listed) for thread in raw.threads or ()]),
        )  # fmt: skip

    def _task(self, raw: _Task) -> Task:
        if raw.cpu_ticks is not None and raw.cpu_ticks < 0:
            raise ValueError("a negative count")
        one = self._texts.setdefault
        comm, state, wchan = raw.comm or "", (raw.state or "")[:1], raw.wchan or ""
        return Task(raw.tid, one(comm, comm), one(state, state), one(wchan, wchan), raw.cpu_ticks)

    def _thread(self, raw: _Thread, listed: list[Stack]) -> Thread:
        text = bytes(raw.frames)
        frames = self._stack(text) if text else _at(raw.stack, listed)
        name = raw.thread_name and self._texts.setdefault(raw.thread_name, raw.thread_name)
        return Thread(name, frames, raw.os_thread_id, raw.active, raw.owns_gil)

    def _stack(self, text: bytes) -> Stack:
        stack = self._by_text.get(text)
        if stack is None:
            stack = self._by_text[text] = self._read_stack(msgspec.json.decode(text))
        return stack


def _at(index: int | None, listed: list[Stack]) -> Stack:
    if index is None:
        return ()
    if index < 0:
        raise ValueError("a negative index")
    return listed[index]
