"""Opens what people name as a capture: regular files only, and never more of them than is sane.

A pipe would wait for a writer, a device has no end, and a small zstd file may unpack to terabytes.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import zstandard

from rankscope.analysis.visible import visible
from rankscope.errors import UnusableInput

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MOST_BYTES = 4 << 30
"""A capture of 16,384 ranks with two samples is below this; more is refused as damage."""
MOST_PLAIN = 64 << 20
"""The text or JSON of one `py-spy dump` is far smaller."""
MOST_LINE = 256 << 20
"""One node's answer with plain stacks of 16 ranks takes about a megabyte."""
MOST_RATIO, FREE_BYTES = 1000, 64 << 20
"""Captures shrink by 60 to 250 times; what unpacks to more than this is damaged or malicious."""
NEXT = "Give a capture file, or the text or JSON of `py-spy dump`, one file per rank."
_CHUNK = 1 << 20
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


@dataclass
class Source:
    """The unpacked content of one file: its beginning, and the chunks after it."""

    name: str
    head: bytes
    _rest: Iterator[bytes]

    @property
    def is_lines(self) -> bool:
        """Whether it begins as a capture file does, with a JSON object."""
        return self.head.lstrip()[:1] == b"{"

    def lines(self) -> Iterator[bytes]:
        """Yield line by line; raises UnusableInput when there is too much of it."""
        parts: list[bytes] = []
        for chunk in chain((self.head,), self._rest):
            *whole, last = chunk.split(b"\n")
            if whole:
                yield b"".join((*parts, whole[0]))
                yield from whole[1:]
                parts = []
            parts.append(last)
            if len(parts) * _CHUNK > MOST_LINE:
                raise _too_large(self.name, MOST_LINE, " in one line")
        yield b"".join(parts)

    def whole(self) -> bytes:
        """Return a plain dump; raises UnusableInput when it is too large for one."""
        found = bytearray(self.head)
        for chunk in self._rest:
            found += chunk
            if len(found) > MOST_PLAIN:
                raise _too_large(self.name, MOST_PLAIN, " for a dump")
        return bytes(found)


def open_source(path: Path) -> Source:
    """Open a file; raises UnusableInput for what is no regular file, not readable, or empty."""
    name = visible(str(path))
    chunks = _unpacked(_open(path, name), name)
    for chunk in chunks:
        if not chunk.isspace():
            return Source(name, chunk, chunks)
    raise UnusableInput(f"{name} is empty.", NEXT)


def _open(path: Path, name: str) -> BinaryIO:
    """Open without waiting for anybody: a pipe without a writer would never come back."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        mode = os.fstat(descriptor).st_mode
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "its name is no name of a file"
        raise UnusableInput(f"{name} cannot be read: {reason}.", NEXT) from error
    kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "")
    if kind:
        os.close(descriptor)
        raise UnusableInput(f"{name} is {kind}, not a file.", NEXT)
    return os.fdopen(descriptor, "rb")


def _unpacked(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the content in chunks; of a cut zstd file as much as can be unpacked."""
    with file:
        packed = file.read(len(ZSTD_MAGIC)) == ZSTD_MAGIC
        file.seek(0)
        limit = MOST_BYTES
        if packed:
            size = os.fstat(file.fileno()).st_size
            limit = min(limit, max(FREE_BYTES, MOST_RATIO * size))
        seen = 0
        for chunk in _chunks(file, name, packed=packed):
            seen += len(chunk)
            if seen > limit:
                raise _too_large(name, limit, " when unpacked" if packed else "")
            yield chunk


def _chunks(file: BinaryIO, name: str, *, packed: bool) -> Iterator[bytes]:
    unpacker = zstandard.ZstdDecompressor()
    reader = unpacker.stream_reader(file, read_across_frames=True) if packed else file
    while True:
        try:
            chunk = reader.read(_CHUNK)
        except zstandard.ZstdError:
            return
        except OSError as error:
            raise UnusableInput(f"{name} cannot be read: {error.strerror}.", NEXT) from error
        if not chunk:
            return
        yield chunk


def _too_large(name: str, limit: int, when: str) -> UnusableInput:
    size = f"{limit >> 20} MiB"
    return UnusableInput(
        f"{name} is larger than {size}{when}, so it is damaged or no capture.", NEXT
    )
