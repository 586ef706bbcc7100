"""From decoded JSON of any quality to the capture model: wrong fields are dropped."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from msgspec.structs import replace

from rankscope.analysis.columns import with_rows
from rankscope.analysis.fast_decode import FastDecoder
from rankscope.analysis.wire import MOST_PROCESSES, MOST_RANKS, MOST_THREADS
from rankscope.model.capture import (
    CaptureHeader,
    Frame,
    NcclAnswer,
    NcclOutcome,
    NodeSample,
    Process,
    Role,
    Task,
    Thread,
    Trigger,
)

_Enum = TypeVar("_Enum", bound=StrEnum)
_Item = TypeVar("_Item")


class Decoder:
    """Decodes the lines of one capture; equal frames and stacks become one object each."""

    def __init__(self) -> None:
        self._frames: dict[tuple[object, ...], Frame] = {}
        self._stacks: dict[tuple[Frame, ...], tuple[Frame, ...]] = {}
        self._listed: list[tuple[Frame, ...]] = []
        self._fast = FastDecoder(self._stack)

    def header(self, raw: dict[str, Any]) -> CaptureHeader:
        """Decode the first line of a capture."""
        return CaptureHeader(
            job_id=_text(raw.get("job_id")) or "unknown",
            print_id=_text(raw.get("print_id")) or str(_integer(raw.get("print_id")) or 0),
            started_at=_text(raw.get("started_at")),
            trigger=_one_of(Trigger, raw.get("trigger"), Trigger.MANUAL),
            world_size=_count(raw.get("world_size")),
            samples=_count(raw.get("samples")) or 1,
            requested_nodes=_texts(raw.get("requested_nodes")),
        )

    def node_line(self, line: bytes) -> NodeSample | None:
        """Decode a node line that is exactly as agents write it; None for any other line."""
        return self._fast.node(line)

    def node(self, raw: dict[str, Any]) -> NodeSample:
        """Decode what one node answered at one moment.

        Threads give their frames, or the index of a stack that the node lists once in `stacks`; or
        they are columns over `thread_kinds`.
        """
        stacks = raw.get("stacks")
        self._listed = (
            [self._stack(frames) for frames in stacks] if isinstance(stacks, list) else []
        )
        processes, left_out = self._processes(raw)
        return NodeSample(
            node=_text(raw.get("node")) or "",
            sample=_count(raw.get("sample")) or 0,
            taken_at=_text(raw.get("taken_at")),
            agent=_text(raw.get("agent")),
            error=_text(raw.get("error")),
            processes=processes,
            left_out=left_out,
        )

    def _processes(self, node: dict[str, Any]) -> tuple[tuple[Process, ...], int]:
        """Decode a node's processes within the limits, and count what lies beyond them."""
        raw = node.get("processes")
        given = raw if isinstance(raw, list) else []
        found = _each(given[:MOST_PROCESSES], lambda one: self.process(with_rows(one, node)))
        left_out, room, kept = max(0, len(given) - MOST_PROCESSES), MOST_THREADS, []
        for process in found:
            left_out += max(0, len(process.threads) - room)
            fits = len(process.threads) <= room
            kept.append(process if fits else replace(process, threads=process.threads[:room]))
            room -= len(kept[-1].threads)
        return tuple(kept), left_out

    def process(self, raw: dict[str, Any]) -> Process:
        """Decode one process; without a known role it is a trainer if it has a rank."""
        rank = _count(raw.get("rank"))
        usual = Role.HELPER if rank is None else Role.TRAINER
        return Process(
            pid=_integer(raw.get("pid")) or 0,
            ppid=_integer(raw.get("ppid")) or 0,
            rank=rank,
            local_rank=_count(raw.get("local_rank")),
            role=_one_of(Role, raw.get("role"), usual),
            state=(_text(raw.get("state")) or "")[:1],
            wchan=_text(raw.get("wchan")) or "",
            cmdline=_texts(raw.get("cmdline")),
            env=_environment(raw.get("env")),
            python=_text(raw.get("python")),
            mode=_text(raw.get("mode")) or "",
            error=_text(raw.get("error")),
            pause_ms=_number(raw.get("pause_ms")),
            tasks=_each(raw.get("tasks"), _task),
            threads=_each(raw.get("threads"), self.thread),
        )

    def thread(self, raw: dict[str, Any]) -> Thread:
        """Decode one thread as py-spy wrote it."""
        return Thread(
            name=_text(raw.get("thread_name")),
            frames=self._stack(raw["frames"]) if "frames" in raw else self._of_list(raw),
            os_thread_id=_integer(raw.get("os_thread_id")),
            active=_boolean(raw.get("active")),
            owns_gil=_boolean(raw.get("owns_gil")),
        )

    def _stack(self, raw: object) -> tuple[Frame, ...]:
        frames = _each(raw, self._frame)
        return self._stacks.setdefault(frames, frames)

    def _of_list(self, raw: dict[str, Any]) -> tuple[Frame, ...]:
        index = _count(raw.get("stack"))
        return self._listed[index] if index is not None and index < len(self._listed) else ()

    def _frame(self, raw: dict[str, Any]) -> Frame:
        get = raw.get
        key = (get("name"), get("filename"), get("line"), get("short_filename"), get("module"))
        try:
            known = self._frames.get(key)
        except TypeError:  # An unhashable value: a list or an object where a text belongs.
            return _new_frame(*key)
        if known is None:
            known = self._frames[key] = _new_frame(*key)
        return known


def nccl_answer(raw: dict[str, Any]) -> NcclAnswer | None:
    """Decode an answer about NCCL; None when its outcome is none that is known."""
    outcome = _text(raw.get("outcome"))
    if outcome not in set(NcclOutcome):
        return None
    return NcclAnswer(
        node=_text(raw.get("node")) or "",
        outcome=NcclOutcome(outcome),
        sample=_count(raw.get("sample")) or 0,
        asked_at=_text(raw.get("asked_at")),
        nccl_version=_text(raw.get("nccl_version")),
        format=_text(raw.get("format")),
        raw=_text(raw.get("raw")) or "",
        detail=_text(raw.get("detail")) or "",
        reason=_text(raw.get("reason")) or "",
        again=_boolean(raw.get("again")) is not False,
    )


def _new_frame(
    name: object, filename: object, line: object, short: object, module: object
) -> Frame:
    return Frame(
        name=_text(name) or "",
        filename=_text(filename) or _text(module) or "",
        line=_integer(line) or 0,
        short_filename=_text(short),
        module=_text(module),
    )


def _task(raw: dict[str, Any]) -> Task:
    return Task(
        tid=_integer(raw.get("tid")) or 0,
        comm=_text(raw.get("comm")) or "",
        state=(_text(raw.get("state")) or "")[:1],
        wchan=_text(raw.get("wchan")) or "",
        cpu_ticks=_count_unbounded(raw.get("cpu_ticks")),
    )


def _environment(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {str(name): text for name, text in value.items() if isinstance(text, str)}


def _each(value: object, decode: Callable[[dict[str, Any]], _Item]) -> tuple[_Item, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(decode(item) for item in value if isinstance(item, dict))


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _count(value: object) -> int | None:
    number = _integer(value)
    return number if number is not None and 0 <= number <= MOST_RANKS else None


def _count_unbounded(value: object) -> int | None:
    number = _integer(value)
    return number if number is not None and number >= 0 else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 1e15 else None


def _boolean(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _one_of(kind: type[_Enum], value: object, otherwise: _Enum) -> _Enum:
    return kind(value) if isinstance(value, str) and value in set(kind) else otherwise
