"""The output of `py-spy dump`, as text or JSON, read into processes; pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rankscope.analysis.decode import Decoder
from rankscope.model.capture import Process, Role

_PROCESS = re.compile(r"^\s*Process (?P<pid>\d{1,10}): ?(?P<command>.*)$")
_PYTHON = re.compile(r"^\s*Python v?(?P<version>\d[\w.+]*)(?: \(.*\))?\s*$")
_THREAD = re.compile(
    r"^\s*(?:Current )?Thread(?: (?P<id>0x[0-9A-Fa-f]{1,16}|\d{1,20}))?"
    r"(?: \((?P<flags>active|idle|active\+gil|idle\+gil)\))?:?(?: ?\"(?P<name>.*)\")?:?\s*$"
)
_FRAME = re.compile(
    r"^\s+(?P<name>\S.*?) \((?P<file>[^()]*(?:\([^()]*\)[^()]*)*?)(?::(?P<line>\d{1,9}))?\)\s*$"
)
_ERROR = re.compile(r"^\s*Error: .+")


@dataclass
class _Dump:
    """One process while its text is being read."""

    pid: int = 0
    command: str = ""
    python: str | None = None
    error: str | None = None
    threads: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.threads or self.error or self.pid)


def processes_of_text(text: str, decoder: Decoder) -> list[Process]:
    """Return the processes in the text of `py-spy dump`; anything else in it is skipped."""
    return [_process(dump, decoder) for dump in _dumps(text) if not dump.is_empty]


def processes_of_json(content: list[Any], decoder: Decoder) -> list[Process]:
    """Return the processes in the array of `py-spy dump --json`, one per process id in it."""
    dumps: dict[int, _Dump] = {}
    for raw in content:
        if isinstance(raw, dict) and isinstance(raw.get("frames"), list):
            pid = raw.get("pid") if isinstance(raw.get("pid"), int) else 0
            dumps.setdefault(pid or 0, _Dump(pid=pid or 0)).threads.append(raw)
    return [_process(dump, decoder) for dump in dumps.values()]


def decode_array(data: bytes) -> list[Any] | None:
    """Return a JSON array, or None when the bytes are none."""
    try:
        content = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return content if isinstance(content, list) else None


def _process(dump: _Dump, decoder: Decoder) -> Process:
    return Process(
        pid=dump.pid,
        role=Role.TRAINER,
        cmdline=tuple(dump.command.split()),
        python=dump.python,
        error=dump.error,
        threads=tuple(decoder.thread(thread) for thread in dump.threads),
    )


def _dumps(text: str) -> Iterator[_Dump]:
    """Split text into processes; a thread without a process line belongs to the one before."""
    dump = _Dump()
    for line in text.splitlines():
        process = _PROCESS.match(line)
        if process:
            yield dump
            dump = _Dump(pid=int(process["pid"]), command=process["command"])
        else:
            _add(dump, line)
    yield dump


def _add(dump: _Dump, line: str) -> None:
    """Add one line; what follows a command line with line breaks of its own is skipped."""
    python, thread = _PYTHON.match(line), _THREAD.match(line)
    if python and not dump.threads:
        dump.python = python["version"]
    elif thread:
        dump.threads.append(_thread(thread, dump))
    elif dump.threads and (frame := _FRAME.match(line)):
        dump.threads[-1]["frames"].append(_frame(frame))
    elif _ERROR.match(line) and not dump.threads:
        dump.error = line.strip()


def _thread(match: re.Match[str], dump: _Dump) -> dict[str, Any]:
    flags, number = match["flags"] or "", match["id"] or ""
    tid = int(number) if number.isdecimal() else None
    return {
        "thread_name": match["name"],
        # Text shows pthread ids in hex; a decimal one is the kernel's, and may be the process id.
        "os_thread_id": tid if tid == dump.pid else None,
        "active": flags.startswith("active") if flags else None,
        "owns_gil": "gil" in flags,
        "frames": [],
    }


def _frame(match: re.Match[str]) -> dict[str, Any]:
    line = int(match["line"]) if match["line"] else 0
    return {"name": match["name"], "filename": match["file"], "line": line}
