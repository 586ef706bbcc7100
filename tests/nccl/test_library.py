from pathlib import Path

import pytest

from rankscope.errors import UnusableInput
from rankscope.nccl import library
from rankscope.nccl.library import Features, examine
from rankscope.nccl.versions import NcclVersion

RAS, JSON, MONITOR = b"NCCL_RAS_ADDR\0", b"set format \0", b"monitor \0"


def write(folder: Path, *parts: bytes) -> Path:
    path = folder / "libnccl.so.2"
    path.write_bytes(b"\x7fELF\0" + b"\0".join(parts) + b"\0")
    return path


@pytest.mark.parametrize(
    ("version", "marks", "features"),
    [
        ("2.21.5", [], Features()),
        ("2.24.3", [RAS], Features(ras=True)),
        ("2.27.5", [RAS, MONITOR], Features(ras=True)),
        ("2.28.9", [RAS, JSON], Features(ras=True, json=True)),
        ("2.32.3", [RAS, JSON, MONITOR], Features(ras=True, json=True, monitor=True)),
        ("2.30.7", [], Features()),
    ],
)
def test_version_and_features(
    tmp_path: Path, version: str, marks: list[bytes], features: Features
) -> None:
    path = write(tmp_path, f"NCCL version {version}+cuda12.9".encode(), *marks)
    found = examine(path)

    assert (found.version, found.cuda) == (NcclVersion.parse(version), "12.9")
    assert found.features == features


def test_a_version_with_a_suffix(tmp_path: Path) -> None:
    found = examine(write(tmp_path, b"NCCL version 2.31.0a7+cuda13.0", RAS))

    assert (str(found.version), found.cuda) == ("2.31.0", "13.0")


@pytest.mark.parametrize("chunk", [300, 1000, 4096])
def test_strings_across_chunks_and_far_behind_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(library, "CHUNK_BYTES", chunk)
    path = write(tmp_path, b"x" * 2990, b"NCCL version 2.29.7+cuda12.9", b"y" * 290, RAS, JSON)

    assert examine(path).features == Features(ras=True, json=True)
    far = write(tmp_path, b"NCCL version 2.29.7+cuda12.9", b"y" * 9000, RAS)
    assert examine(far).features.ras


def test_a_file_without_nccl(tmp_path: Path) -> None:
    found = examine(write(tmp_path, b"NCCL version unknown", b"monitor "))

    assert (found.version, found.cuda, found.features) == (None, None, Features())


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="No such file"):
        examine(tmp_path / "gone")
    with pytest.raises(UnusableInput):
        examine(tmp_path)
