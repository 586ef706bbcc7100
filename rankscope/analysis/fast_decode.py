"""Decodes well-formed node lines without a look at every field in Python.

A line that is not exactly as agents write it is left to `rankscope.analysis.decode`, which drops
what is wrong and keeps the rest; both give the same for the same line.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated

import msgspec

from rankscope.model.capture import Frame, NodeSample, Process, Role, Task, Thread

Stack = tuple[Frame, ...]
MOST_RANKS = 1 << 20
"""No job has more ranks; a larger number is damage and must not become a loop over it."""
MOST_PROCESSES, MOST_THREADS = 4096, 1 << 16
"""Of one node's line no more are read: an agent gone wrong must not stop the analysis. A node of 16
trainers with 16 data workers and 64 compile workers each has 1,300 processes."""
_Natural = Annotated[int, msgspec.Meta(ge=0)]
_Rank = Annotated[int, msgspec.Meta(ge=0, le=MOST_RANKS)]


class _Thread(msgspec.Struct, gc=False):
    thread_name: str | None = None
    os_thread_id: int | None = None
    active: bool | None = None
    owns_gil: bool | None = None
    frames: msgspec.Raw = msgspec.Raw()
    stack: _Natural | None = None


class _Process(msgspec.Struct):
    pid: int
    role: Role
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
    pause_ms: float | None = None
    tasks: tuple[Task, ...] | None = ()
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


def cut(processes: list[_Process]) -> int:
    """Drop what a line holds beyond the limits, and return how many processes and threads."""
    left_out = max(0, len(processes) - MOST_PROCESSES)
    del processes[MOST_PROCESSES:]
    room = MOST_THREADS
    for process in processes:
        if process.threads:
            left_out += max(0, len(process.threads) - room)
            del process.threads[room:]
            room -= len(process.threads)
    return left_out


class FastDecoder:
    """Decodes node lines; stacks are compared as text, so that equal ones are read once."""

    def __init__(self, read_stack: Callable[[object], Stack]) -> None:
        self._read_stack = read_stack
        self._by_text: dict[bytes, Stack] = {}
        self._names: dict[str | None, str | None] = {}

    def node(self, line: bytes) -> NodeSample | None:
        """Decode a line; None when it is not a well-formed node line."""
        try:
            raw = _DECODER.decode(line)
            listed = [self._stack(bytes(stack)) for stack in raw.stacks or ()]
            left_out = cut(raw.processes)
            processes = tuple([self._process(process, listed) for process in raw.processes])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError):
            return None
        return NodeSample(
            raw.node, raw.sample, raw.taken_at, raw.agent, raw.error, processes, left_out
        )

    def _process(self, raw: _Process, listed: list[Stack]) -> Process:
        return Process(
            raw.pid, raw.ppid, raw.rank, raw.local_rank, raw.role,
            (raw.state or "")[:1], raw.wchan or "", raw.cmdline or (), raw.env or {}, raw.python,
            raw.mode or "", raw.error, raw.pause_ms,
            raw.tasks or (),
            self._interned(raw.threads, listed) if listed and raw.threads
            else tuple(self._threads(raw.threads or (), listed)),
        )  # fmt: skip

    def _interned(self, raw: Sequence[_Thread], listed: list[Stack]) -> tuple[Thread, ...]:
        """Decode threads of which each should name a stack that its node lists once."""
        one = self._names.setdefault
        try:
            return tuple(
                [
                    Thread(
                        one(t.thread_name, t.thread_name),
                        listed[t.stack],  # type: ignore[index]
                        t.os_thread_id,
                        t.active,
                        t.owns_gil,
                    )
                    for t in raw
                ]
            )
        except TypeError:  # One has frames of its own.
            return tuple(self._threads(raw, listed))

    def _threads(self, raw: Iterable[_Thread], listed: list[Stack]) -> Iterator[Thread]:
        """Decode threads; this runs ten times per rank, so that its lookups are kept short."""
        one = self._names.setdefault  # One object for each name, which all nodes repeat.
        known = self._by_text.get
        for t in raw:
            if t.stack is not None:
                frames = listed[t.stack]
            else:
                text = bytes(t.frames)
                frames = known(text) or (self._stack(text) if text else ())
            name = t.thread_name
            yield Thread(one(name, name), frames, t.os_thread_id, t.active, t.owns_gil)

    def _stack(self, text: bytes) -> Stack:
        stack = self._by_text.get(text)
        if stack is None:
            stack = self._by_text[text] = self._read_stack(msgspec.json.decode(text))
        return stack
