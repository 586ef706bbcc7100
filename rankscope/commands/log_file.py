"""Read a log that is named on a command line, whole: plain, gzip or zstd, or standard input.

A packed log that is cut, as when the disk was full or the job still writes it, is read as far as it
goes, and that is said on standard error.
"""

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import click
import zstandard

from rankscope.errors import UnusableInput
from rankscope.settings import settings
from rankscope.text import say

BLOCK = 1 << 18
# A few bytes of zstd may stand for very many; so they are unpacked a few at a time.
PACKED_BLOCK = 1 << 10
FILE = click.Path(path_type=Path, allow_dash=True)
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_ADVICE = "Give a training log."


def blocks_of(path: Path) -> Iterator[bytes]:
    """Yield a log in pieces, `-` is standard input; raises UnusableInput."""
    has_read = False
    try:
        for block in _unpacked(path):
            has_read = True
            yield block
    except (EOFError, gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        if not has_read:
            raise UnusableInput(
                f"{path} is cut or damaged, nothing in it can be read: {error}.", _ADVICE
            ) from error
        click.echo(say("log-cut", log=path).of(settings().language), err=True)
    except OSError as error:
        raise UnusableInput(f"{path} cannot be read: {error.strerror}.", _ADVICE) from error


def _unpacked(path: Path) -> Iterator[bytes]:
    """Yield the text; compressed logs are recognised by their first bytes."""
    if str(path) == "-":
        yield from iter(lambda: sys.stdin.buffer.read(BLOCK), b"")
        return
    with path.open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic.startswith(_GZIP):
            with gzip.open(raw, "rb") as stream:
                # `read` would lose what stands before a cut.
                yield from iter(lambda: stream.read1(BLOCK), b"")
        elif magic == _ZSTD:
            yield from _from_zstd(raw)
        else:
            yield from iter(lambda: raw.read(BLOCK), b"")


def _from_zstd(raw: BinaryIO) -> Iterator[bytes]:
    frame = zstandard.ZstdDecompressor().decompressobj()
    while chunk := raw.read(PACKED_BLOCK):
        while chunk:
            if frame.eof:
                frame = zstandard.ZstdDecompressor().decompressobj()
            if text := frame.decompress(chunk):
                yield text
            chunk = frame.unused_data if frame.eof else b""
    if not frame.eof:
        raise EOFError("its last frame has no end")
