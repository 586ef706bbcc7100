"""The environment of another process as it is now, not as it was at exec.

/proc/PID/environ shows the block at exec: variables set later (mp.spawn, Ray) are absent from it,
and setproctitle overwrites it. `os.environ[...] = ...` reaches the C library's `environ`, which is
read here from the target's memory: no code runs in it and it is not stopped.
"""

import os
import re
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from agent.elf import NotElf, symbol_offsets
from agent.procfs import PROC, pairs, read_bytes, read_text

_NAMES = (b"environ", b"__environ", b"_environ")
_LIBRARY = re.compile(r"/(?:libc\.so|libc-|ld-musl|libc\.musl)[^/]*$")
_PAGE = 4096
_MAX_VARIABLES = 4096
_MAX_VARIABLE = 1 << 16
_BLOCK = 1 << 17


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
    return Environments().of(pid, 0, lambda: maps)


class Environments:
    """Reads environments and remembers where they are, which is costly to find."""

    def __init__(self) -> None:
        self._addresses: dict[tuple[int, int], int] = {}

    def of(self, pid: int, image: int, maps: Callable[[], str]) -> dict[str, str]:
        """Return the environment of a process; image changes when it executes another program.

        maps gives /proc/PID/maps, and is asked only when the place is not known.
        """
        known = self._addresses.pop((pid, image), None) if image else None
        try:
            found, address = live_environment(pid, maps, known)
        except OSError:
            found, address = {}, None
        if address and image:
            self._addresses[pid, image] = address
        return found or pairs(read_bytes(f"{PROC}/{pid}/environ"))

    def keep(self, images: Iterable[tuple[int, int]]) -> None:
        """Forget all processes but these pairs of PID and image."""
        self._addresses = {k: self._addresses[k] for k in images if k in self._addresses}


def live_environment(
    pid: int, maps: Callable[[], str], known: int | None = None
) -> tuple[dict[str, str], int | None]:
    """Read `environ` from the target's memory, and return where it is; empty when not found.

    Raises OSError when the memory may not be read (needs CAP_SYS_PTRACE, as py-spy does).
    """
    memory = os.open(f"{PROC}/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        for address in _places(pid, maps, known):
            found = _read_block(memory, address)
            if found:
                return found, address
    finally:
        os.close(memory)
    return {}, None


def _places(pid: int, maps: Callable[[], str], known: int | None) -> Iterator[int]:
    if known:
        yield known
    yield from _candidates(pid, maps())


def _candidates(pid: int, maps: str) -> Iterator[int]:
    """Yield addresses of `environ`: the executable's (a copy relocation wins), then the libc's."""
    for path, mapping in _files(pid, maps):
        try:
            offsets = symbol_offsets(path, _NAMES)
        except (OSError, NotElf):
            continue
        for offset in offsets:
            yield mapping.low - mapping.offset + offset


def _files(pid: int, maps: str) -> Iterator[tuple[Path, Mapping]]:
    folder = PROC / str(pid)
    executable = _executable(folder)
    # Only the few lines of interest are parsed: a process of torch maps hundreds of files.
    lines = (n for n in maps.splitlines() if _LIBRARY.search(n) or n.endswith(executable))
    mappings = first_mappings("\n".join(lines))
    if executable in mappings:
        yield folder / "exe", mappings.pop(executable)
    for path, mapping in mappings.items():
        yield Path(f"{folder}/root{path}"), mapping
        yield folder / f"map_files/{mapping.low:x}-{mapping.high:x}", mapping


def _executable(folder: Path) -> str:
    try:
        return str((folder / "exe").readlink())
    except OSError:
        return "(unknown)"


def _read_block(memory: int, address: int) -> dict[str, str]:
    try:
        (table,) = struct.unpack("<Q", os.pread(memory, 8, address))
        return _read_variables(memory, table) if table else {}
    except (OSError, OverflowError, struct.error):
        return {}


def _read_variables(memory: int, table: int) -> dict[str, str]:
    pointers = _pointers(memory, table)
    block, low = _usual_block(memory, pointers)
    found, elsewhere = _variables(pointers, block, low)
    return found | dict(_pair(_read_string(memory, pointer)) for pointer in elsewhere)


@lru_cache(maxsize=512)
def _variables(
    pointers: tuple[int, ...], block: bytes, low: int
) -> tuple[dict[str, str], tuple[int, ...]]:
    """Return the variables whose texts are in the block, and the pointers of all others.

    A process that did not touch its variables since the last look gives what it gave then.
    """
    found, elsewhere = {}, []
    for pointer in pointers:
        end = block.find(b"\0", pointer - low) if pointer >= low else -1
        if end < 0:
            elsewhere.append(pointer)
        else:
            name, value = _pair(block[pointer - low : end])
            found[name] = value
    return found, tuple(elsewhere)


def _pair(text: bytes) -> tuple[str, str]:
    name, _, value = text.partition(b"=")
    return name.decode(errors="replace"), value.decode(errors="replace")


def _usual_block(memory: int, pointers: tuple[int, ...]) -> tuple[bytes, int]:
    """Read the strings in one go where they lie together, as they do after an exec."""
    low = min(pointers, default=0)
    near = [pointer for pointer in pointers if pointer - low < _BLOCK]
    size = max(near, default=0) - low + _PAGE
    return os.pread(memory, size, low) if low else b"", low


def _pointers(memory: int, table: int) -> tuple[int, ...]:
    found: list[int] = []
    for start in range(0, _MAX_VARIABLES, 64):
        # A read ends at the last mapped page, so that fewer pointers than asked may come.
        raw = os.pread(memory, 512, table + 8 * start)
        piece = struct.unpack(f"<{len(raw) // 8}Q", raw[: len(raw) // 8 * 8])
        if 0 in piece:
            return (*found, *piece[: piece.index(0)])
        found += piece
    return tuple(found)


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
    return read_text(f"{PROC}/{pid}/maps")
