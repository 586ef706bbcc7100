from collections.abc import Iterator
from pathlib import Path

import pytest

from rankscope.watching.follow import KEPT, LONGEST_LINE, Follower


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "train.log"


@pytest.fixture
def follower(log: Path) -> Iterator[Follower]:
    follower = Follower(log)
    yield follower
    follower.close()


def append(log: Path, text: str) -> None:
    with log.open("a", encoding="utf-8") as stream:
        stream.write(text)


def test_a_log_may_be_created_later(log: Path, follower: Follower) -> None:
    assert list(follower.lines()) == []

    append(log, "one\n")

    assert list(follower.lines()) == ["one"]


def test_what_is_there_is_read_first_and_then_what_is_new(log: Path, follower: Follower) -> None:
    append(log, "one\ntwo\n")
    assert list(follower.lines()) == ["one", "two"]
    assert list(follower.lines()) == []

    append(log, "three\n")

    assert list(follower.lines()) == ["three"]


def test_a_line_is_given_when_it_is_complete(log: Path, follower: Follower) -> None:
    append(log, "on")
    assert list(follower.lines()) == []

    append(log, "e\ntw")

    assert list(follower.lines()) == ["one"]


def test_progress_bars_end_lines_with_a_carriage_return(log: Path, follower: Follower) -> None:
    log.write_bytes(b"1/9\r2/9\r\n\n3/9\r")

    assert list(follower.lines()) == ["1/9", "2/9", "3/9"]


def test_a_rotated_log_is_read_to_its_end_and_the_new_one_follows(
    log: Path, follower: Follower
) -> None:
    append(log, "one\n")
    list(follower.lines())
    append(log, "two\n")
    log.rename(log.with_suffix(".1"))
    append(log, "three\n")

    assert list(follower.lines()) == ["two", "three"]


def test_between_two_files_nothing_is_lost(log: Path, follower: Follower) -> None:
    append(log, "one\n")
    list(follower.lines())
    old = log.with_suffix(".1")
    log.rename(old)
    append(old, "two\n")

    assert list(follower.lines()) == ["two"]
    append(log, "three\n")
    assert list(follower.lines()) == ["three"]


def test_a_truncated_log_is_read_from_its_beginning(log: Path, follower: Follower) -> None:
    append(log, "a long line\nhalf")
    list(follower.lines())

    log.write_text("new\n", encoding="utf-8")

    assert list(follower.lines()) == ["new"]


def test_bytes_that_are_no_text_do_no_harm(log: Path, follower: Follower) -> None:
    log.write_bytes(b"\xff\xfe step\n")

    assert list(follower.lines()) == ["\ufffd\ufffd step"]


def test_a_line_without_end_is_cut(log: Path, follower: Follower) -> None:
    append(log, "x" * (LONGEST_LINE + 1))

    assert [len(line) for line in follower.lines()] == [KEPT]


def test_a_log_that_cannot_be_read_is_an_error(log: Path, follower: Follower) -> None:
    log.mkdir()

    with pytest.raises(OSError, match="directory"):
        list(follower.lines())
