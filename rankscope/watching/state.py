"""What a watcher keeps on disk: where it is in each log, what it knows, which events are not told.

One file, replaced as a whole, so that a watcher killed at any moment finds what it last wrote: it
then reads the lines after that again, which gives the same events under the same ids. An event is
written down before it is sent for the first time.
"""

import fcntl
import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

import msgspec

from rankscope.errors import ConfigurationError
from rankscope.model.event import Event
from rankscope.watching.follow import Place

VERSION = 1


class StateFolderError(ConfigurationError):
    """The folder for the state cannot be made or written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A moment of a watcher; progress is frozen (see snapshot).

    digest is that of logs and progress in a file, which tells a damaged file from a sound one.
    """

    version: int = VERSION
    logs: dict[str, Place] = field(default_factory=dict)
    progress: Any = None
    outbox: tuple[Event, ...] = ()
    digest: str = ""


def default_folder() -> Path:
    """Return where state is kept: systemd's folder for the service, else the user's."""
    given = os.environ.get("STATE_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given)
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "rankscope" / "watch"


def _digest(state: State) -> str:
    return hashlib.sha256(msgspec.json.encode((state.logs, state.progress))).hexdigest()[:32]


class StateFile:
    """The state of one job and one set of logs; held by one watcher at a time."""

    def __init__(self, folder: Path, job: str, logs: tuple[str, ...]) -> None:
        absolute = "\n".join(sorted(os.path.abspath(log) for log in logs))  # noqa: PTH100
        digest = hashlib.sha256(f"{job}\n{absolute}".encode()).hexdigest()[:12]
        name = f"{job.replace(':', '_')}-{digest}"
        self._path = folder / f"{name}.json"
        self._lock = self._locked(folder, name)
        self.unreadable = False

    @staticmethod
    def _locked(folder: Path, name: str) -> IO[bytes]:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = (folder / f"{name}.lock").open("ab")
        except OSError as error:
            raise StateFolderError(
                f"The folder {folder} cannot hold the watcher's state: {error.strerror}.",
                "Name one that can be written with --state-dir.",
            ) from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            raise ConfigurationError(
                "Another watcher follows these logs of this job.",
                "Stop it, or give this one another --state-dir.",
            ) from None
        return lock

    def load(self) -> State:
        """Return the last state; a new one when there is none or it cannot be understood.

        unreadable then tells that there was one; events of a state that is only damaged are kept.
        """
        self.unreadable = True
        try:
            state = msgspec.json.decode(self._path.read_bytes(), type=State)
            sound = state.version == VERSION and state.digest == _digest(state)
        except FileNotFoundError:
            self.unreadable = False
            return State()
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return State()
        self.unreadable = not sound
        return replace(state, digest="") if sound else State(outbox=state.outbox)

    def save(self, state: State) -> None:
        """Replace the state, so that a power cut leaves the old or the new one."""
        new = self._path.with_suffix(".new")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as stream:
            stream.write(msgspec.json.encode(replace(state, digest=_digest(state))))
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(self._path)

    def close(self) -> None:
        """Let another watcher have it."""
        self._lock.close()
