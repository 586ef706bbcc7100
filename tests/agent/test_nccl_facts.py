import os
from pathlib import Path

import pytest

from agent.nccl_facts import UNKNOWN, address_of, examined, is_enabled, settings_of
from tests.agent.builders import members, proc

LIBRARY = b"\0NCCL version %s+cuda12.2\0NCCL_RAS_ADDR\0set format \0"


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("", ("localhost", 28028)),
        ("localhost:29000", ("localhost", 29000)),
        ("[::1]:29001", ("::1", 29001)),
        ("nonsense", ("localhost", 28028)),
    ],
)
def test_the_address_of_ras(address: str, found: tuple[str, int]) -> None:
    assert address_of({"NCCL_RAS_ADDR": address}) == found


@pytest.mark.parametrize(
    ("value", "is_on"),
    [
        *(("", True), ("1", True), (" 01", True), ("0x1", True)),
        *(("0", False), ("10", False), ("true", False), ("-1", False), ("2", False)),
    ],
)
def test_ras_is_on_only_for_the_number_1(value: str, is_on: bool) -> None:
    assert is_enabled({"NCCL_RAS_ENABLE": value}) == is_on
    assert is_enabled({})


@pytest.mark.parametrize(
    ("content", "version"),
    [
        (LIBRARY % b"2.26.2", "2.26.2"),
        (LIBRARY % b"2.28.0a3", "2.28.0"),
        (LIBRARY % b"%d.%d.%d", None),
        (b"", None),
    ],
)
def test_a_library_file(tmp_path: Path, content: bytes, version: str | None) -> None:
    library = tmp_path / "libnccl.so.2"
    library.write_bytes(content)

    found = examined(library)

    assert (str(found.version) if found.version else None) == version
    assert found.features.ras == (version is not None)


def test_a_library_that_changes_is_read_anew(tmp_path: Path) -> None:
    library = tmp_path / "libnccl.so.2"
    library.write_bytes(LIBRARY % b"2.26.2")
    assert str(examined(library).version) == "2.26.2"

    library.write_bytes(LIBRARY % b"2.30.7" + b"longer")

    assert str(examined(library).version) == "2.30.7"


def test_a_file_that_is_gone_or_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert examined(tmp_path / "gone") is UNKNOWN
    assert examined(tmp_path / "fifo") is UNKNOWN


def test_the_environment_goes_before_configuration_files(tmp_path: Path) -> None:
    conf = tmp_path / "nccl.conf"
    conf.write_text("# NCCL_RAS_ADDR=localhost:1\nNCCL_RAS_ENABLE=0\nNCCL_RAS_ADDR=localhost:2\n")
    env = {"NCCL_CONF_FILE": str(conf), "NCCL_RAS_ADDR": "localhost:3"}
    member = members(proc(os.getpid(), rank=0, env=env))[os.getpid()]

    found = settings_of(member)

    assert found["NCCL_RAS_ENABLE"] == "0"
    assert found["NCCL_RAS_ADDR"] == "localhost:3"
