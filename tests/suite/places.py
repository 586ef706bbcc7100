"""Where one process is at one moment, and how the kernel sees it there."""

from dataclasses import dataclass, replace

Frames = tuple[tuple[str, str, int], ...]
"""(name, file, line), innermost first."""

SITE = "/opt/venv/lib/python3.11/site-packages"
STDLIB = "/usr/lib/python3.11"
FUTEX, POLL, SLEEP = "futex_do_wait", "poll_schedule_timeout.constprop.0", "hrtimer_nanosleep"
PIPE, FIFO, SOCKET = "anon_pipe_read", "wait_for_partner", "wait_woken"
NFS, DISK = "rpc_wait_bit_killable", "folio_wait_bit_common"


@dataclass(frozen=True)
class Beside:
    """A thread beside the main one."""

    name: str | None
    frames: Frames
    state: str = "S"
    wchan: str = FUTEX
    gil: bool = False


@dataclass(frozen=True)
class Worker:
    """A child process."""

    frames: Frames
    role: str = "dataloader"
    state: str = "S"
    wchan: str = POLL
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True)
class Place:
    """A trainer; frames None means that there is no dump. load is the share of a CPU it uses."""

    frames: Frames | None
    state: str = "S"
    wchan: str = FUTEX
    load: float = 0.0
    gil: bool = False
    role: str = "trainer"
    error: str | None = None
    beside: tuple[Beside, ...] = ()
    workers: tuple[Worker, ...] = ()

    def on(self, wchan: str, state: str = "S") -> "Place":
        """The same place with another wait."""
        return replace(self, wchan=wchan, state=state)

    def with_threads(self, *beside: Beside) -> "Place":
        """The same place with threads beside it."""
        return replace(self, beside=(*self.beside, *beside))

    def with_workers(self, *workers: Worker) -> "Place":
        """The same place with child processes."""
        return replace(self, workers=(*self.workers, *workers))


def asleep(frames: Frames, wchan: str = FUTEX) -> Place:
    """A thread that sleeps."""
    return Place(frames, "S", wchan)


def busy(frames: Frames, load: float = 0.97) -> Place:
    """A thread that runs."""
    return Place(frames, "R", "0", load)


def stuck_io(frames: Frames, wchan: str = NFS) -> Place:
    """A thread in uninterruptible sleep."""
    return Place(frames, "D", wchan)


def call(text: str, folder: str = "") -> Frames:
    """Read `name file:line; name file:line`, innermost first.

    `$` is site-packages, `%` the standard library, `~` the project.
    """
    found = []
    for part in text.split(";"):
        name, _, where = part.strip().rpartition(" ")
        path, _, line = where.rpartition(":")
        for short, full in (("$", SITE), ("%", STDLIB), ("~", folder)):
            path = path.replace(short, full)
        found.append((name, path, int(line)))
    return tuple(found)


BOOT = call(
    "Thread.run %/threading.py:982; Thread._bootstrap_inner %/threading.py:1045;"
    "Thread._bootstrap %/threading.py:1002"
)
