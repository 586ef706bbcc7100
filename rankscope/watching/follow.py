"""Follow a file that is being written: created later, rotated, truncated, found again.

A place in a file is an offset and a fingerprint of the bytes before it. A file counts as the same
only when these bytes are the same, whatever its name and inode: that tells a truncated log from one
that has grown, also when the watcher was away meanwhile.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rankscope.watching.regular import open_regular

CHUNK = 1 << 19
MOST_AT_ONCE = 8 * CHUNK
"""Bytes without the end of a line that are read at once."""
LONGEST_LINE = 1 << 16
KEPT = 4096
FINGERPRINT_OF = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far a log was read: whole lines up to offset; in_line: it ends inside an overlong one."""

    offset: int = 0
    before: str = ""
    in_line: bool = False


class Follower:
    """Reads whole lines as blocks; progress bars end their line with a carriage return.

    identities are device and inode of every file that was read under this name; unfinished tells
    that the last read gave nothing and yet was not at the end.
    """

    def __init__(self, path: Path, place: Place | None = None) -> None:
        self.path = path
        self._stream: BinaryIO | None = None
        self._resume_at = place
        self.identities: set[tuple[int, int]] = set()
        self.unfinished = False
        self._forget()

    def _forget(self) -> None:
        self._rest, self._read_to, self._before, self._in_line = b"", 0, "", False

    @property
    def place(self) -> Place:
        """Up to where whole lines were given."""
        if self._stream is None and self._resume_at:
            return self._resume_at
        offset = self._read_to - len(self._rest)
        return Place(offset=offset, before=self._before, in_line=self._in_line)

    def read(self, most: int = CHUNK) -> bytes:
        """Return some whole lines that were written since the last call, empty when there are none.

        Raises OSError when the file is there and cannot be read.
        """
        if self._stream is None and not self._open():
            return b""
        block = self._next(most)
        if block or self.unfinished or not self._was_replaced():
            return block
        last = self._rest
        self.close()
        self._resume_at = None
        opened = self._open()
        first = self._next(most) if opened else b""
        return last + b"\n" + first if last else first

    def modified(self) -> float | None:
        """When the open file was last written, in seconds since the epoch."""
        return os.fstat(self._stream.fileno()).st_mtime if self._stream else None

    def close(self) -> None:
        """Close the file; a line that was not complete is read again when it is opened again."""
        if self._stream:
            place = self.place
            self._stream.close()
            self._resume_at = place
        self._stream = None
        self._forget()

    def _open(self) -> bool:
        opened = self._open_any()
        if opened and self._stream:
            status = os.fstat(self._stream.fileno())
            self.identities.add((status.st_dev, status.st_ino))
        return opened

    def _open_any(self) -> bool:
        place, self._resume_at = self._resume_at, None
        if place and place.offset:
            for path in (self.path, *_rotated(self.path)):
                if self._open_at(path, place):
                    return True
        try:
            self._stream = open_regular(self.path)
        except FileNotFoundError:
            self._resume_at = place
            return False
        return True

    def _open_at(self, path: Path, place: Place) -> bool:
        try:
            stream = open_regular(path)
        except OSError:
            return False
        if fingerprint(stream, place.offset) != place.before:
            stream.close()
            return False
        stream.seek(place.offset)
        self._stream, self._read_to = stream, place.offset
        self._before, self._in_line = place.before, place.in_line
        return True

    def _next(self, most: int) -> bytes:
        stream = self._stream
        if stream is None:
            return b""
        if self._was_truncated(stream):
            stream.seek(0)
            self._forget()
        block, from_ = b"", self._read_to
        self.unfinished = False
        # A chunk may hold no end of a line; the caller would take nothing for the end of the log.
        while not block and (chunk := stream.read(most)):
            self._read_to += len(chunk)
            block = self._whole_lines(chunk.replace(b"\0", b"") if b"\0" in chunk else chunk)
            if not block and self._read_to - from_ >= MOST_AT_ONCE:
                self.unfinished = True
                break
        if self._read_to > from_:
            self._before = fingerprint(stream, self._read_to - len(self._rest))
        return block

    def _whole_lines(self, chunk: bytes) -> bytes:
        if self._in_line:
            end = _first_end(chunk)
            if end < 0:
                return b""
            chunk, self._in_line = chunk[end + 1 :], False
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        block = self._rest + chunk[:end] if end else b""
        self._rest = chunk[end:] if end else self._rest + chunk
        if len(self._rest) > LONGEST_LINE:
            block, self._rest, self._in_line = block + self._rest[:KEPT] + b"\n", b"", True
        return block

    def _was_truncated(self, stream: BinaryIO) -> bool:
        size = os.fstat(stream.fileno()).st_size
        if size == self._read_to:
            return False
        offset = self._read_to - len(self._rest)
        if size < offset:
            return True
        return bool(offset) and fingerprint(stream, offset) != self._before

    def _was_replaced(self) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False  # Between two files; the old one may still grow.
        return self._stream is not None and not os.path.samestat(
            there, os.fstat(self._stream.fileno())
        )


def fingerprint(stream: BinaryIO, offset: int) -> str:
    """Return what names the bytes before an offset; empty when the file is shorter."""
    start = max(0, offset - FINGERPRINT_OF)
    found = os.pread(stream.fileno(), offset - start, start)
    return hashlib.sha256(found).hexdigest()[:32] if len(found) == offset - start else ""


def _first_end(chunk: bytes) -> int:
    ends = [at for at in (chunk.find(b"\n"), chunk.find(b"\r")) if at >= 0]
    return min(ends, default=-1)


def _rotated(path: Path) -> list[Path]:
    """Return the files a log may have been renamed to, the newest first."""
    try:
        others = [one for one in path.parent.iterdir() if one.name.startswith(path.name + ".")]
        return sorted(others, key=lambda one: one.stat().st_mtime, reverse=True)[:16]
    except OSError:
        return []
