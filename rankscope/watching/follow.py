"""Follow a file that is being written: created later, rotated, truncated."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20
LONGEST_LINE = 1 << 16
KEPT = 4096
"""Bytes of a line that are read: no step line is longer, and patterns stay fast."""
_END = re.compile(rb"[\r\n]")


class Follower:
    """Reads whole lines; progress bars end their line with a carriage return."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: BinaryIO | None = None
        self._rest = b""

    def lines(self) -> Iterator[str]:
        """Yield the lines written since the last call, without their ends and without empty ones.

        Raises OSError when the file is there and cannot be read.
        """
        if self._stream is None and not self._open():
            return
        yield from self._read()
        if self._was_replaced():
            self.close()
            if self._open():
                yield from self._read()

    def close(self) -> None:
        """Close the file; a line that was not complete is forgotten."""
        if self._stream:
            self._stream.close()
        self._stream, self._rest = None, b""

    def _open(self) -> bool:
        try:
            self._stream = self.path.open("rb")
        except FileNotFoundError:
            return False
        return True

    def _read(self) -> Iterator[str]:
        stream = self._stream
        if stream is None:
            return
        if os.fstat(stream.fileno()).st_size < stream.tell():
            stream.seek(0)
            self._rest = b""
        while chunk := stream.read(CHUNK):
            *whole, self._rest = _END.split(self._rest + chunk)
            if len(self._rest) > LONGEST_LINE:
                whole, self._rest = [*whole, self._rest], b""
            yield from (line[:KEPT].decode(errors="replace") for line in whole if line)

    def _was_replaced(self) -> bool:
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return False  # Between two files; the old one may still grow.
        return self._stream is not None and not os.path.samestat(
            there, os.fstat(self._stream.fileno())
        )
