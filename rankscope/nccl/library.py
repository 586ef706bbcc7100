"""Which NCCL a library file holds, found by reading its bytes; nothing of it is run or loaded.

The version string `NCCL version X+cudaY` is VERSION_STRING of NCCL's src/init.cc. In the wheels of
2.27.5 (430 MB) and 2.32.3 (344 MB) it lies within the first 4 MB, with RAS's strings near it. A
library that links NCCL statically, such as libtorch_cuda.so, is searched to its end.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rankscope.errors import UnusableInput
from rankscope.nccl.versions import (
    FIRST_WITH_JSON,
    FIRST_WITH_MONITOR,
    FIRST_WITH_RAS,
    NcclVersion,
)

CHUNK_BYTES = 16 * 1024 * 1024
OVERLAP_BYTES = 256
"""Longer than any string searched for, so that none is lost between two chunks."""
MAX_BYTES = 4 * 1024**3
VERSION = re.compile(
    rb"NCCL version (\d{1,2}\.\d{1,3}\.\d{1,3})[\w.-]{0,40}(?:\+cuda| compiled with CUDA )"
    rb"(\d{1,2}\.\d{1,2})"
)
MARKS = {"ras": b"NCCL_RAS_ADDR", "json": b"set format ", "monitor": b"monitor "}


@dataclass(frozen=True, slots=True)
class Features:
    """What the library can do, by the strings it holds: RAS (2.24), JSON (2.28.7), MONITOR."""

    ras: bool = False
    json: bool = False
    monitor: bool = False


@dataclass(frozen=True, slots=True)
class Library:
    """What was found in a library file; version and cuda are None when it holds no NCCL."""

    version: NcclVersion | None
    cuda: str | None
    features: Features


def examine(path: Path) -> Library:
    """Find version and features of the NCCL in a file, such as /proc/PID/map_files/….

    Raises UnusableInput when the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _search(file.read)
    except OSError as error:
        what = f"Cannot read the NCCL library {path}: {error.strerror}."
        raise UnusableInput(what, "Run the agent with the rights to read it.") from error


def _search(read: Callable[[int], bytes]) -> Library:
    version: re.Match[bytes] | None = None
    marks: set[str] = set()
    chunks_since = 0
    for chunk in _chunks(read):
        version = version or VERSION.search(chunk)
        marks |= {mark for mark, text in MARKS.items() if text in chunk}
        if version and _is_enough(_number(version), marks, chunks_since):
            break
        chunks_since += version is not None
    return _library(version, marks)


def _chunks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    tail, total = b"", 0
    while total < MAX_BYTES and (fresh := read(CHUNK_BYTES)):
        total += len(fresh)
        yield tail + fresh
        tail = fresh[-OVERLAP_BYTES:]


def _number(match: re.Match[bytes]) -> NcclVersion | None:
    return NcclVersion.parse(match[1].decode())


def _is_enough(version: NcclVersion | None, marks: set[str], chunks_since: int) -> bool:
    """Stop early: all marks found, RAS not to be expected, or its strings passed by."""
    too_old = version is not None and version < FIRST_WITH_RAS
    return too_old or len(marks) == len(MARKS) or (chunks_since > 0 and "ras" in marks)


def _library(match: re.Match[bytes] | None, marks: set[str]) -> Library:
    version = _number(match) if match else None
    if match is None or version is None:
        return Library(None, None, Features())
    # The short marks occur in other code as well, hence the version must allow them.
    features = Features(
        ras="ras" in marks and version >= FIRST_WITH_RAS,
        json="json" in marks and version >= FIRST_WITH_JSON,
        monitor="monitor" in marks and version >= FIRST_WITH_MONITOR,
    )
    return Library(version, match[2].decode(), features)
