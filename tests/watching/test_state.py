import stat
from pathlib import Path

import pytest

from rankscope.errors import ConfigurationError
from rankscope.model.event import Event, EventJob
from rankscope.watching.follow import Place
from rankscope.watching.state import State, StateFile, StateFolderError, default_folder

STATE = State(
    logs={"/a.log": Place(offset=5, before="ab", in_line=True)},
    progress={"_": "x"},
    outbox=(Event(id="e-1", type="job.hang", job=EventJob(id="jo-1"), labels={"step": "1"}),),
)


def test_a_state_is_found_again_and_is_nobody_elses(tmp_path: Path) -> None:
    first = StateFile(tmp_path, "jo:1", ("a.log",))
    assert first.load() == State()
    first.save(STATE)
    first.close()

    again = StateFile(tmp_path, "jo:1", ("a.log",))

    assert again.load() == STATE
    other = StateFile(tmp_path, "jo:2", ("a.log",))
    assert other.load() == State()
    other.close()
    (path,) = tmp_path.glob("jo_1-*.json")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    again.close()


def test_two_watchers_do_not_share_a_state(tmp_path: Path) -> None:
    first = StateFile(tmp_path, "jo-1", ("a.log",))

    with pytest.raises(ConfigurationError, match="Another watcher"):
        StateFile(tmp_path, "jo-1", ("a.log",))

    first.close()
    StateFile(tmp_path, "jo-1", ("a.log",)).close()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b'{"version": 1, "logs": 3}',
        b"\xff",
        b'{"progress":' + b"[" * 900 + b"]" * 900 + b"}",
    ],
)
def test_a_state_that_cannot_be_read_is_none(tmp_path: Path, content: bytes) -> None:
    file = StateFile(tmp_path, "jo-1", ("a.log",))
    file.save(STATE)
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(content)

    assert file.load() == State()
    assert file.unreadable
    file.close()


@pytest.mark.parametrize("change", [(b'"x"', b'"y"'), (b'"offset":5', b'"offset":6')])
def test_a_damaged_state_is_none_but_its_events_are_sent(
    tmp_path: Path, change: tuple[bytes, bytes]
) -> None:
    file = StateFile(tmp_path, "jo-1", ("a.log",))
    file.save(STATE)
    (path,) = tmp_path.glob("*.json")
    path.write_bytes(path.read_bytes().replace(*change))

    assert file.load() == State(outbox=STATE.outbox)
    assert file.unreadable
    file.close()


def test_events_of_another_version_are_still_sent(tmp_path: Path) -> None:
    file = StateFile(tmp_path, "jo-1", ("a.log",))
    file.save(State(version=0, logs=STATE.logs, progress=STATE.progress, outbox=STATE.outbox))

    assert file.load() == State(outbox=STATE.outbox)
    file.close()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StateFolderError, match="--state-dir"):
        StateFile(tmp_path / "file" / "x", "jo-1", ("a.log",))


def test_the_folder_is_systemds_or_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATE_DIRECTORY", "/var/lib/rankscope-watch:/other")
    assert default_folder() == Path("/var/lib/rankscope-watch")
    monkeypatch.delenv("STATE_DIRECTORY")
    monkeypatch.setenv("XDG_STATE_HOME", "/home/x/.state")
    assert default_folder() == Path("/home/x/.state/rankscope/watch")
