"""The file is read anew without a restart; a broken one leaves the last good one in force."""

from pathlib import Path

import pytest
from fakeredis import FakeRedis
from structlog.testing import capture_logs

from rankscope.routing.current import current_routes
from rankscope.routing.load import parse_routes
from rankscope.routing.model import Book
from rankscope.store.state import State
from tests.routing.books import TEXT


@pytest.fixture
def state() -> State:
    return State(FakeRedis())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "routes.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def test_without_a_file_there_are_no_routes(state: State) -> None:
    now = current_routes(state, None)

    assert (now.book, now.error) == (Book(), "")


def test_a_change_is_seen_at_once(state: State, file: Path) -> None:
    assert len(current_routes(state, file).book.routes) == 3
    file.write_text(TEXT + '\n[[routes]]\nname = "d"\nchats = ["oc_d"]\n', encoding="utf-8")

    now = current_routes(state, file)
    assert [route.name for route in now.book.routes][-1] == "d"
    assert now.good_at > 0


@pytest.mark.parametrize(
    "how", ["nonsense", "gone", "not text", "huge", "deep", "long number", "early"]
)
def test_a_broken_file_leaves_the_last_good_one_and_warns_once(
    state: State, file: Path, how: str
) -> None:
    current_routes(state, file)
    if how == "gone":
        file.unlink()
    else:
        raw = {
            "nonsense": b"[[routes]]\nname = 1\n",
            "not text": b"\xff\xfe",
            "huge": b"#" * ((1 << 16) + 1),
            "deep": b"a = " + b"[" * 30_000,
            "long number": b"a = " + b"1" * 5000,
            "early": b'[oncall.x]\npeople = ["ou_a"]\nstart = 0001-01-01\n',
        }
        file.write_bytes(raw[how])

    with capture_logs() as logs:
        seen = [current_routes(state, file) for _ in range(3)]

    assert all(len(one.book.routes) == 3 for one in seen)
    assert all(str(file) in one.error for one in seen)
    assert len([line for line in logs if line["log_level"] == "error"]) == 1


def test_a_fault_of_our_own_in_reading_leaves_the_last_good_file(
    state: State, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = current_routes(state, file).book

    def failing(text: str, name: str = "kept") -> Book:
        if name == "kept":
            return parse_routes(text, name)
        raise OverflowError("date value out of range")

    monkeypatch.setattr("rankscope.routing.current.parse_routes", failing)

    now = current_routes(state, file)
    assert now.book == good
    assert "date value out of range" in now.error


def test_a_mended_file_is_good_again(state: State, file: Path) -> None:
    current_routes(state, file)
    file.write_text("[[routes]]\n", encoding="utf-8")
    assert current_routes(state, file).error
    file.write_text(TEXT, encoding="utf-8")

    assert current_routes(state, file).error == ""


def test_a_file_that_was_never_good_has_no_routes(state: State, file: Path) -> None:
    file.write_text("[[routes]]\n", encoding="utf-8")

    now = current_routes(state, file)
    assert now.book == Book()
    assert "name: it is missing" in now.error
