import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from rankscope import capture_source
from rankscope.capture_file import read_captures
from rankscope.capture_source import open_source
from rankscope.errors import UnusableInput


@pytest.fixture
def a_socket(tmp_path: Path) -> Iterator[Path]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        yield tmp_path / "s"


def test_a_pipe_without_a_writer_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(UnusableInput, match="is a pipe, not a file"):
        read_captures([tmp_path / "pipe"])


@pytest.mark.parametrize(("path", "kind"), [("/dev/zero", "device"), ("/", "folder")])
def test_what_has_no_end_or_no_content_is_refused(path: str, kind: str) -> None:
    with pytest.raises(UnusableInput, match=f"is a {kind}, not a file"):
        read_captures([Path(path)])


@pytest.mark.parametrize("name", ["missing", "nul\0", "x" * 300])
def test_what_cannot_be_opened_is_said(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnusableInput, match="cannot be read"):
        read_captures([tmp_path / name])


def test_a_socket_is_refused(a_socket: Path) -> None:
    with pytest.raises(UnusableInput):
        read_captures([a_socket])


def test_a_zstd_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zst"
    with bomb.open("wb") as file, zstandard.ZstdCompressor(level=3).stream_writer(file) as writer:
        writer.write(b'{"node":"')
        for _ in range(400):
            writer.write(bytes(1 << 20))

    with pytest.raises(UnusableInput, match="is larger than 64 MiB when unpacked"):
        read_captures([bomb])


def test_a_plain_dump_of_absurd_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(b"x")
    os.truncate(path, 1 << 40)

    with pytest.raises(UnusableInput, match="is larger than 64 MiB for a dump"):
        read_captures([path])


def test_a_line_of_absurd_length_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_source, "MOST_LINE", 2 << 20)
    path = tmp_path / "line"
    path.write_bytes(b"{" + b" " * (4 << 20))

    with pytest.raises(UnusableInput, match="in one line"):
        read_captures([path])


def test_lines_are_whole_over_chunks(tmp_path: Path) -> None:
    lines = [b"{}" + bytes([65 + n]) * (700 << 10) for n in range(5)]
    path = tmp_path / "lines"
    path.write_bytes(b"\n".join(lines))

    assert list(open_source(path).lines()) == lines


def test_a_name_with_control_characters_does_not_reach_the_terminal(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput) as error:
        read_captures([tmp_path / "\x1b[2J"])

    assert "\\x1b[2J" in str(error.value)
    assert "\x1b" not in str(error.value)
