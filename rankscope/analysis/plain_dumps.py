"""The output of `py-spy dump`, faulthandler or pystack, read into processes; pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rankscope.analysis.decode import Decoder
from rankscope.analysis.dump_dialects import respelt
from rankscope.model.capture import Process, Role

_PROCESS = re.compile(r"^\s*Process (?P<pid>\d{1,10}): ?(?P<command>.*)$")
_PYTHON = re.compile(r"^\s*Python v?(?P<version>\d[\w.+]*)(?: \(.*\))?\s*$")
_THREAD = re.compile(
    r"^\s*(?:Current )?Thread(?: (?P<id>0x[0-9A-Fa-f]{1,16}|\d{1,20}))?"
    r"(?: \((?P<flags>active|idle|active\+gil|idle\+gil)\))?:?(?: ?\"(?P<name>.*)\")?:?\s*$"
)
_FRAME = re.compile(r"^\s+(?P<name>\S.*?) \((?P<file>[^()]*(?:\([^()]*\)[^()]*)*)\)\s*$")
# faulthandler: `Thread 0x7f… (most recent call first):`, `Current thread 0x7f… [name] (most …`.
_FAULT_THREAD = re.compile(
    r"^\s*(?:Current thread|Thread) (?P<id>0x[0-9A-Fa-f]+)(?: \[(?P<name>[^\]]*)\])?"
    r" \(most recent call first\):\s*$"
)
# pystack: `Traceback for thread 71 (python) [Has the GIL] (most recent call last):`.
_PYSTACK_THREAD = re.compile(
    r"^\s*Traceback for thread (?P<id>\d+)(?: \((?P<name>[^)]*)\))? \[(?P<flags>[^\]]*)\]"
    r" \(most recent call last\):\s*$"
)
_FILE_FRAME = re.compile(
    r"^\s+(?:\((?:Python|C)\) )?File \"(?P<file>[^\"]*)\", line (?P<line>\d+|\?\?\?),?"
    r" in (?P<name>.+?)(?: \(.*\))?\s*$"
)
_LONGEST = 10_000
"""No line of a dump is longer; the patterns take their time over one that is."""
_LONGEST_NUMBER = 10
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
    """Return the processes in the text of py-spy, faulthandler or pystack; the rest is skipped.

    Text without a thread may be a dump in another spelling (`dump_dialects`).
    """
    found = _found(text)
    if not any(dump.threads for dump in found):
        found = [dump for dump in _found(respelt(text)) if dump.threads] or found
    return [_process(dump, decoder) for dump in found]


def _found(text: str) -> list[_Dump]:
    return [dump for dump in _dumps(text) if not dump.is_empty]


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
        if len(line) > _LONGEST:
            continue
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
    if _add_of_others(dump, line):
        return
    if python and not dump.threads:
        dump.python = python["version"]
    elif thread:
        dump.threads.append(_thread(thread, dump))
    elif dump.threads and (frame := _FRAME.match(line)):
        dump.threads[-1]["frames"].append(_frame(frame))
    elif _ERROR.match(line) and not dump.threads:
        dump.error = line.strip()


def _add_of_others(dump: _Dump, line: str) -> bool:
    """Add a line of faulthandler or pystack; pystack lists the innermost frame last."""
    fault, pystack = _FAULT_THREAD.match(line), _PYSTACK_THREAD.match(line)
    if fault or pystack:
        dump.threads.append(_thread_of_others(fault, pystack, dump))
        return True
    frame = _FILE_FRAME.match(line) if dump.threads else None
    if frame is None:
        return False
    frames = dump.threads[-1]["frames"]
    frames.insert(0 if dump.threads[-1].get("innermost_last") else len(frames), _frame(frame))
    return True


def _thread_of_others(
    fault: re.Match[str] | None, pystack: re.Match[str] | None, dump: _Dump
) -> dict[str, Any]:
    if pystack is None:
        name = fault["name"] if fault else None
        return {"thread_name": name, "active": None, "owns_gil": None, "frames": []}
    if not dump.pid and not dump.threads:
        dump.pid = int(pystack["id"])
    return {
        "thread_name": pystack["name"],
        "os_thread_id": int(pystack["id"]),
        "active": None,
        "owns_gil": "Has the GIL" in pystack["flags"],
        "frames": [],
        "innermost_last": True,
    }


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
    """Return a frame; py-spy's own lines give `file:line` in one, and native ones no line."""
    found = match.groupdict()
    file, line = found["file"], found.get("line") or ""
    path, _, number = file.rpartition(":")
    if "line" not in found and path and number.isdecimal():
        file, line = path, number
    known = line.isdecimal() and len(line) < _LONGEST_NUMBER
    return {"name": found["name"], "filename": file, "line": int(line) if known else 0}
