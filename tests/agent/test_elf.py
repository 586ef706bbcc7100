import ctypes
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.elf import NotElf, symbol_offsets
from agent.environment import first_mappings, read_maps


def libc() -> tuple[Path, int]:
    mappings = first_mappings(read_maps(os.getpid())).values()
    found = next(m for m in mappings if Path(m.path).name.startswith(("libc.so", "libc-")))
    return Path(found.path), found.low - found.offset


def test_a_symbol_is_where_the_loader_put_it() -> None:
    path, base = libc()
    getpid = ctypes.cast(ctypes.CDLL(None).getpid, ctypes.c_void_p).value
    assert {base + offset for offset in symbol_offsets(path, (b"getpid",))} == {getpid}


def test_no_symbol() -> None:
    assert not symbol_offsets(Path(sys.executable).resolve(), (b"no_such_symbol",))


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(NotElf):
        symbol_offsets(fifo, (b"environ",))


@given(st.binary(max_size=200), st.integers(0, 300))
def test_a_hostile_file_raises_only_what_is_promised(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    with Path(sys.executable).resolve().open("rb") as file:
        genuine = file.read(4096)
    path = tmp_path_factory.mktemp("elf") / "library"
    path.write_bytes(genuine[:at] + noise + genuine[at + len(noise) :])
    try:
        symbol_offsets(path, (b"environ",))
    except (NotElf, OSError):
        return
