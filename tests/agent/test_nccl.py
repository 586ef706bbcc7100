import os
from pathlib import Path

import pytest

from agent.nccl import RAS_PORT, ras_port, version_in


@pytest.mark.parametrize(
    ("address", "port"),
    [("", RAS_PORT), ("localhost:29000", 29000), ("[::1]:29001", 29001), ("nonsense", RAS_PORT)],
)
def test_the_port_of_ras(address: str, port: int) -> None:
    assert ras_port({"NCCL_RAS_ADDR": address}) == port


@pytest.mark.parametrize(
    ("content", "version"),
    [
        (b"\0NCCL version 2.26.2+cuda12.2\0", "2.26.2"),
        (b"\0NCCL version 2.28.0a3+cuda13.0\0", "2.28.0"),
        (b"\0NCCL version %d.%d.%d\0", None),
        (b"", None),
    ],
)
def test_the_version_in_a_library(tmp_path: Path, content: bytes, version: str | None) -> None:
    library = tmp_path / "libnccl.so.2"
    library.write_bytes(content)
    assert version_in(library) == version


def test_a_file_that_is_gone_or_no_file(tmp_path: Path) -> None:
    assert version_in(tmp_path / "gone") is None
    os.mkfifo(tmp_path / "fifo")
    assert version_in(tmp_path / "fifo") is None
