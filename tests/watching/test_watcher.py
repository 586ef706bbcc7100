import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rankscope.model.event import EventJob
from rankscope.watching.outbox import Outbox
from rankscope.watching.post import Poster
from rankscope.watching.signs import Watched
from rankscope.watching.sources import Sources
from rankscope.watching.state import State, StateFile
from rankscope.watching.watcher import Setup, Watcher


class Told:
    """Remembers what a watcher says."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def __call__(self, message_id: str, **parameters: object) -> None:
        del parameters
        self.ids.append(message_id)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def told() -> Told:
    return Told()


def setup_of(
    folder: Path, told: Told, stack: ExitStack, loaded: State | None = None
) -> tuple[Setup, StateFile]:
    poster = Poster("http://127.0.0.1:9", "secret")
    state = StateFile(folder.parent / "state", "jo-1", (str(folder),))
    stack.callback(poster.close)
    stack.callback(state.close)
    setup = Setup(
        job=EventJob(id="jo-1"),
        sources=Sources((str(folder),)),
        watched=Watched((), (), gpus=False),
        outbox=Outbox(poster, told),
        tell=told,
        language="en",
        floor_s=60.0,
        state=state,
        loaded=loaded or state.load(),
    )
    return setup, state


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "0.log").write_text("hello\n", encoding="utf-8")
    return folder


def test_a_pipe_among_the_logs_is_told_once_and_the_others_are_read(
    folder: Path, told: Told, stack: ExitStack
) -> None:
    os.mkfifo(folder / "pipe.log")
    (folder / "zero.log").symlink_to("/dev/zero")
    setup, state = setup_of(folder, told, stack)
    watcher = Watcher(setup)
    stack.callback(watcher.close)

    for _ in range(3):
        watcher.look()

    assert told.ids.count("watch-unreadable") == 2
    assert state.load().logs[str(folder / "0.log")].offset == len("hello\n")


def test_a_full_disk_is_told_once_and_the_watcher_goes_on(
    folder: Path, told: Told, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup, state = setup_of(folder, told, stack)
    watcher = Watcher(setup)
    stack.callback(watcher.close)
    monkeypatch.setattr("rankscope.watching.watcher.SAVE_EVERY_S", 0.0)
    fsync = os.fsync

    def full(number: int) -> None:
        del number
        raise OSError(errno.ENOSPC, "No space left on device")

    def look(text: str) -> None:
        with (folder / "0.log").open("a", encoding="utf-8") as stream:
            stream.write(text)
        watcher.look()

    monkeypatch.setattr(os, "fsync", full)
    look("one\n")
    look("two\n")

    assert told.ids.count("watch-not-kept") == 1
    assert state.load() == State()
    monkeypatch.setattr(os, "fsync", fsync)
    look("three\n")
    assert state.load().logs[str(folder / "0.log")].offset == len("hello\none\ntwo\nthree\n")


@pytest.mark.parametrize("progress", [{"_": "deque", "of": []}, {"_": "set", "of": [[]]}, [1], 5])
def test_a_state_that_does_not_fit_is_told_and_the_logs_are_read_anew(
    folder: Path, told: Told, stack: ExitStack, progress: object
) -> None:
    setup, state = setup_of(folder, told, stack, State(progress=progress))
    watcher = Watcher(setup)
    stack.callback(watcher.close)

    watcher.look()

    assert told.ids.count("watch-state-unreadable") == 1
    assert state.load().logs[str(folder / "0.log")].offset == len("hello\n")
