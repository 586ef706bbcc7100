"""Find symbols in an ELF file (64-bit, little-endian), which may come from a hostile container."""

import os
import stat
import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct("<16xHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_PT_LOAD, _SHT_DYNSYM = 1, 11
_TABLE_LIMIT = 64 << 20


class NotElf(ValueError):
    """The file is no ELF file that we can read."""


Offsets = frozenset[int]
_remembered: dict[tuple[object, ...], Offsets] = {}
_REMEMBERED_LIMIT = 512


def open_regular(path: Path) -> int:
    """Open a regular file for reading and return its descriptor; a FIFO or device never blocks us.

    Raises OSError, and NotElf for anything that is not a regular file.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotElf(f"{path.name} is not a regular file.")
    return descriptor


def symbol_offsets(path: Path, wanted: tuple[bytes, ...]) -> Offsets:
    """Return where wanted dynamic symbols are defined, relative to the first loaded page.

    Remembered by device, inode, size and time of change, since all ranks share their libraries.
    Raises OSError or NotElf.
    """
    descriptor = open_regular(path)
    try:
        info = os.fstat(descriptor)
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, wanted)
        if key not in _remembered:
            if len(_remembered) >= _REMEMBERED_LIMIT:
                _remembered.clear()
            _remembered[key] = _offsets(descriptor, wanted)
        return _remembered[key]
    finally:
        os.close(descriptor)


def _offsets(descriptor: int, wanted: tuple[bytes, ...]) -> Offsets:
    try:
        return frozenset(_find(descriptor, wanted))
    except (struct.error, IndexError, OverflowError) as error:
        raise NotElf(str(error)) from error


def _read(descriptor: int, offset: int, size: int) -> bytes:
    if size > _TABLE_LIMIT:
        raise NotElf("A table is unreasonably large.")
    return os.pread(descriptor, size, offset)


def _find(descriptor: int, wanted: tuple[bytes, ...]) -> Iterator[int]:
    head = _read(descriptor, 0, _HEADER.size)
    if head[:6] != b"\x7fELF\x02\x01":
        raise NotElf("Not a 64-bit little-endian ELF file.")
    fields = _HEADER.unpack(head)
    segments = _table(descriptor, fields[4], fields[8], fields[9], _SEGMENT)
    sections = list(_table(descriptor, fields[5], fields[10], fields[11], _SECTION))
    base = min((s[3] for s in segments if s[0] == _PT_LOAD), default=0) & ~0xFFF
    for section in sections:
        if section[1] == _SHT_DYNSYM:
            names = sections[section[6]]
            text = _read(descriptor, names[4], names[5])
            yield from _match(_read(descriptor, section[4], section[5]), text, wanted, base)


def _table(
    descriptor: int, offset: int, size: int, count: int, form: struct.Struct
) -> Iterator[tuple[int, ...]]:
    raw = _read(descriptor, offset, size * count)
    for number in range(count):
        yield form.unpack_from(raw, number * size)


def _match(symbols: bytes, names: bytes, wanted: tuple[bytes, ...], base: int) -> Iterator[int]:
    for offset in range(0, len(symbols) - _SYMBOL.size + 1, _SYMBOL.size):
        name, _, _, section, value, _ = _SYMBOL.unpack_from(symbols, offset)
        if section and value and names[name : names.find(b"\0", name)] in wanted:
            yield value - base
