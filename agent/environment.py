"""The environment of another process as it is now, not as it was at exec.

/proc/PID/environ shows the block at exec: variables set later (mp.spawn, Ray) are absent from it,
and setproctitle overwrites it. `os.environ[...] = ...` reaches the C library's `environ`, which is
read here from the target's memory: no code runs in it and it is not stopped.
"""

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.elf import NotElf, symbol_offsets
from agent.procfs import PROC, pairs, read_bytes, read_text

_NAMES = (b"environ", b"__environ", b"_environ")
_LIBRARIES = ("libc.so", "libc-", "ld-musl", "libc.musl")
_PAGE = 4096
_MAX_VARIABLES = 4096
_MAX_VARIABLE = 1 << 16


@dataclass(frozen=True, slots=True)
class Mapping:
    """The first mapping of a file: its start, end, offset in the file, and path."""

    low: int
    high: int
    offset: int
    path: str


def first_mappings(maps: str) -> dict[str, Mapping]:
    """Return the first mapping of every file in /proc/PID/maps (proc_pid_maps(5)), by path."""
    found: dict[str, Mapping] = {}
    for line in maps.splitlines():
        fields = line.split(None, 5)
        if len(fields) == 6 and fields[5] not in found:
            low, high = (int(part, 16) for part in fields[0].split("-"))
            found[fields[5]] = Mapping(low, high, int(fields[2], 16), fields[5])
    return found


def environment(pid: int, maps: str) -> dict[str, str]:
    """Return the current environment of a process, or that of its exec when memory is closed."""
    try:
        live = live_environment(pid, maps)
    except OSError:
        live = {}
    return live or pairs(read_bytes(PROC / str(pid) / "environ"))


def live_environment(pid: int, maps: str) -> dict[str, str]:
    """Read `environ` from the target's memory; empty when it cannot be found.

    Raises OSError when the memory may not be read (needs CAP_SYS_PTRACE, as py-spy does).
    """
    memory = os.open(PROC / str(pid) / "mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for address in _candidates(pid, first_mappings(maps)):
            found = _read_block(memory, address)
            if found:
                return found
    finally:
        os.close(memory)
    return {}


def _candidates(pid: int, mappings: dict[str, Mapping]) -> Iterator[int]:
    """Yield addresses of `environ`: the executable's (a copy relocation wins), then the libc's."""
    for path, mapping in _files(pid, mappings):
        try:
            offsets = symbol_offsets(path, _NAMES)
        except (OSError, NotElf):
            continue
        for offset in offsets:
            yield mapping.low - mapping.offset + offset


def _files(pid: int, mappings: dict[str, Mapping]) -> Iterator[tuple[Path, Mapping]]:
    folder = PROC / str(pid)
    try:
        executable = mappings.get(str((folder / "exe").readlink()))
    except OSError:
        executable = None
    if executable:
        yield folder / "exe", executable
    for path, mapping in mappings.items():
        if Path(path).name.startswith(_LIBRARIES):
            yield Path(f"{folder}/root{path}"), mapping
            yield folder / f"map_files/{mapping.low:x}-{mapping.high:x}", mapping


def _read_block(memory: int, address: int) -> dict[str, str]:
    try:
        (table,) = struct.unpack("<Q", os.pread(memory, 8, address))
        return _read_variables(memory, table) if table else {}
    except (OSError, OverflowError, struct.error):
        return {}


def _read_variables(memory: int, table: int) -> dict[str, str]:
    found = {}
    for pointer in _pointers(memory, table):
        name, _, value = _read_string(memory, pointer).partition(b"=")
        found[name.decode(errors="replace")] = value.decode(errors="replace")
    return found


def _pointers(memory: int, table: int) -> Iterator[int]:
    for start in range(0, _MAX_VARIABLES, 64):
        at = table + 8 * start
        # A read ends at the last mapped page, so that fewer pointers than asked may come.
        raw = os.pread(memory, 512, at)
        for (pointer,) in struct.iter_unpack("<Q", raw[: len(raw) // 8 * 8]):
            if not pointer:
                return
            yield pointer


def _read_string(memory: int, address: int) -> bytes:
    text = b""
    while b"\0" not in text and len(text) < _MAX_VARIABLE:
        at = address + len(text)
        piece = os.pread(memory, min(512, _PAGE - at % _PAGE), at)
        if not piece:
            break
        text += piece
    return text.partition(b"\0")[0]


def read_maps(pid: int) -> str:
    """Return /proc/PID/maps."""
    return read_text(PROC / str(pid) / "maps")
