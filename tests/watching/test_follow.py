import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankscope.watching.follow import CHUNK, KEPT, LONGEST_LINE, MOST_AT_ONCE, Follower
from rankscope.watching.tails import tail


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


def everything(follower: Follower) -> bytes:
    return b"".join(iter(follower.read, b""))


def restarted(follower: Follower) -> Follower:
    """Return what a new process makes of the place an old one has written down."""
    place = follower.place
    follower.close()
    return Follower(follower.path, place)


def test_a_log_may_be_created_later(log: Path, follower: Follower) -> None:
    assert follower.read() == b""

    append(log, "one\n")

    assert follower.read() == b"one\n"


def test_what_is_there_is_read_first_and_then_what_is_new(log: Path, follower: Follower) -> None:
    append(log, "one\ntwo\n")
    assert follower.read() == b"one\ntwo\n"
    assert follower.read() == b""

    append(log, "three\n")

    assert follower.read() == b"three\n"


def test_a_line_is_given_when_it_is_complete(log: Path, follower: Follower) -> None:
    append(log, "on")
    assert follower.read() == b""

    append(log, "e\ntw")

    assert follower.read() == b"one\n"


def test_progress_bars_end_lines_with_a_carriage_return(log: Path, follower: Follower) -> None:
    log.write_bytes(b"1/9\r2/9\r\n\n3/9\r4/")

    assert everything(follower) == b"1/9\r2/9\r\n\n3/9\r"


def test_a_rotated_log_is_read_to_its_end_and_the_new_one_follows(
    log: Path, follower: Follower
) -> None:
    append(log, "one\n")
    everything(follower)
    append(log, "two\n")
    log.rename(log.with_suffix(".1"))
    append(log, "three\n")

    assert everything(follower) == b"two\nthree\n"
    assert len(follower.identities) == 2


def test_the_last_line_of_a_rotated_log_needs_no_end(log: Path, follower: Follower) -> None:
    append(log, "one\ntwo")
    everything(follower)
    log.rename(log.with_suffix(".1"))
    append(log, "three\n")

    assert everything(follower) == b"two\nthree\n"


def test_between_two_files_nothing_is_lost(log: Path, follower: Follower) -> None:
    append(log, "one\n")
    everything(follower)
    old = log.with_suffix(".1")
    log.rename(old)
    append(old, "two\n")

    assert everything(follower) == b"two\n"
    append(log, "three\n")
    assert everything(follower) == b"three\n"


@pytest.mark.parametrize("new", ["new\n", "another line, longer than all that was there\n"])
def test_a_truncated_log_is_read_from_its_beginning(
    log: Path, follower: Follower, new: str
) -> None:
    append(log, "a long line\nhalf")
    everything(follower)

    log.write_text(new, encoding="utf-8")

    assert everything(follower) == new.encode()


def test_the_hole_a_truncation_leaves_is_left_out(log: Path, follower: Follower) -> None:
    with log.open("wb") as writer:
        writer.write(b"one\n" * 100)
        writer.flush()
        everything(follower)
        os.truncate(log, 0)
        writer.write(b"two\n")

    assert everything(follower) == b"two\n"


def test_a_line_without_end_is_cut_and_its_rest_is_no_line(log: Path, follower: Follower) -> None:
    append(log, "x" * (3 * CHUNK))
    assert follower.read() == b"x" * KEPT + b"\n"
    assert follower.read() == b""

    append(log, "iteration 7\nnext\n")

    assert everything(follower) == b"next\n"


def test_memory_does_not_grow_with_a_line(log: Path, follower: Follower) -> None:
    append(log, "x" * LONGEST_LINE)
    assert follower.read() == b""

    append(log, "y\nz\n")

    assert follower.read() == b"x" * LONGEST_LINE + b"y\nz\n"


def test_a_log_that_cannot_be_read_is_an_error(log: Path, follower: Follower) -> None:
    log.mkdir()

    with pytest.raises(OSError, match="directory"):
        follower.read()


def test_a_new_process_goes_on_where_the_old_one_was(log: Path, follower: Follower) -> None:
    append(log, "one\nha")
    everything(follower)
    append(log, "lf\ntwo\n")

    again = restarted(follower)

    assert everything(again) == b"half\ntwo\n"
    again.close()


def test_a_new_process_first_reads_the_rest_of_a_rotated_log(log: Path, follower: Follower) -> None:
    append(log, "one\n")
    everything(follower)
    append(log, "two\n")
    log.rename(f"{log}.1")
    append(log, "three\n")

    again = restarted(follower)

    assert everything(again) == b"two\nthree\n"
    again.close()


@pytest.mark.parametrize("new", ["new\n", "other\nand longer than before\n"])
def test_a_new_process_tells_a_log_that_began_anew(log: Path, follower: Follower, new: str) -> None:
    append(log, "one\ntwo\n")
    everything(follower)
    log.write_text(new, encoding="utf-8")

    again = restarted(follower)

    assert everything(again) == new.encode()
    again.close()


def test_a_new_process_knows_that_it_stopped_inside_a_line(log: Path, follower: Follower) -> None:
    append(log, "x" * (LONGEST_LINE + 1))
    everything(follower)
    append(log, "rest\nnext\n")

    again = restarted(follower)

    assert everything(again) == b"next\n"
    again.close()


def test_a_new_process_waits_for_a_log_that_is_gone(log: Path, follower: Follower) -> None:
    append(log, "one\n")
    everything(follower)
    log.unlink()

    again = restarted(follower)
    assert again.read() == b""
    append(log, "two\n")

    assert everything(again) == b"two\n"
    again.close()


def test_pieces_of_any_size_give_the_same_lines(log: Path) -> None:
    content = b"".join(
        hashlib.sha256(b"%d" % n).hexdigest()[: n % 50].encode() + b"\n" for n in range(999)
    )
    log.write_bytes(content)

    for most in (1, 7, 64, 5000):
        follower, read = Follower(log), b""
        while block := follower.read(most):
            read += block
        follower.close()
        assert read == content


def test_a_file_without_an_end_of_a_line_is_read_in_parts(log: Path, follower: Follower) -> None:
    size = 2 * MOST_AT_ONCE
    with log.open("wb") as stream:
        stream.truncate(size)  # Nulls without end, such as a truncated log that goes on has.
    append(log, "\nnext\n")

    told = []
    for _ in range(5):
        told.append((follower.read(), follower.unfinished))
        if told[-1] == (b"", False):
            break

    assert (b"", True) in told
    assert b"".join(block for block, _ in told) == b"\nnext\n"


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_only_regular_files_are_followed(tmp_path: Path, kind: str) -> None:
    log = tmp_path / "train.log"
    if kind == "pipe":
        os.mkfifo(log)
    else:
        log.symlink_to("/dev/zero" if kind == "device" else tmp_path)

    with pytest.raises(OSError, match=r"not a regular file|Is a directory"):
        Follower(log).read()
    assert tail(log, 100) == b""


def test_a_link_to_a_log_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("one\n", encoding="utf-8")
    log = tmp_path / "train.log"
    log.symlink_to("real")
    follower = Follower(log)

    assert follower.read() == b"one\n"
    assert tail(log, 100) == b"one\n"
    follower.close()
