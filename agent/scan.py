"""One look at all processes, with a deadline of its own.

Some files in /proc wait for the target's memory lock, which a task in D may hold for hours. They
are read in a daemon thread that is left behind when it does not come back; the process is then
remembered as stuck and described by what was read of it before.
"""

import functools
import os
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.environment import Environments, read_maps
from agent.libraries import has_torch, telling_libraries
from agent.procfs import (
    CLOCK_TICKS,
    PROC,
    Stat,
    all_stats,
    boot_clock,
    read_bytes,
    read_text,
    strings,
)

STALL_S = 1.0
DEADLINE_S = 5.0
REUSED_S = 60.0
"""How long a heartbeat may use what was read of a process that is itself older than that."""
_PYTHON = re.compile(r"^(?:python|pypy)[\d.]*[a-z]?$")
_LIBPYTHON = re.compile(r"libpython(\d\.\d+)")
_VERSION = re.compile(r"(?:python|pypy)(\d\.\d+)$")

Key = tuple[int, int]
"""A PID and its start time in ticks since boot: together they are never reused."""


@dataclass(frozen=True, slots=True)
class Proc:
    """A process as far as finding jobs needs it; env and the rest are read of Python ones only."""

    stat: Stat
    python: str | None = None
    cmdline: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    comms: frozenset[str] = frozenset()
    cgroup: str = ""
    libraries: tuple[str, ...] = ()

    @property
    def pid(self) -> int:
        """The PID, as this host counts."""
        return self.stat.pid

    @property
    def key(self) -> Key:
        """The PID and start time."""
        return self.stat.pid, self.stat.start

    @property
    def alive(self) -> bool:
        """Whether it has not exited."""
        return self.stat.state not in {"Z", "X"}


@dataclass(frozen=True, slots=True)
class Scan:
    """All processes by PID; stuck are those whose memory could not be read in time."""

    procs: Mapping[int, Proc]
    stuck: tuple[int, ...] = ()


class Scanner:
    """Reads all processes; remembers what is costly and cannot change."""

    def __init__(self) -> None:
        self._python: dict[tuple[Key, str], str | None] = {}
        self._last: dict[Key, tuple[float, Proc]] = {}
        self._stuck: dict[Key, threading.Thread] = {}
        self._environments = Environments()

    def scan(self, *, fresh: bool = True) -> Scan:
        """Return all processes; takes at most about DEADLINE_S.

        Unless fresh, what was read lately of processes that started long ago is used again.
        """
        stats = list(all_stats())
        self._forget({(s.pid, s.start) for s in stats})
        self._environments.keep((s.pid, s.image) for s in stats)
        procs = {s.pid: self._remembered(s) for s in stats}
        todo = (s for s in stats if s.state not in {"Z", "X"} and not self._is_stuck(s))
        procs.update(self._read(deque(s for s in todo if fresh or not self._is_settled(s))))
        return Scan(procs, tuple(s.pid for s in stats if (s.pid, s.start) in self._stuck))

    def _remembered(self, stat: Stat) -> Proc:
        _, last = self._last.get((stat.pid, stat.start), (0.0, Proc(stat)))
        return replace(last, stat=stat)

    def _is_settled(self, stat: Stat) -> bool:
        read_at, last = self._last.get((stat.pid, stat.start), (0.0, None))
        now = boot_clock()
        aged = now - stat.start / CLOCK_TICKS > REUSED_S and now - read_at < REUSED_S
        return aged and last is not None and last.stat.comm == stat.comm

    def _forget(self, present: set[Key]) -> None:
        self._last = {k: v for k, v in self._last.items() if k in present}
        self._python = {k: v for k, v in self._python.items() if k[0] in present}
        self._stuck = {k: v for k, v in self._stuck.items() if k in present}

    def _is_stuck(self, stat: Stat) -> bool:
        thread = self._stuck.get((stat.pid, stat.start))
        if thread and not thread.is_alive():
            del self._stuck[stat.pid, stat.start]
        return thread is not None and thread.is_alive()

    def _read(self, todo: deque[Stat]) -> dict[int, Proc]:
        found: dict[int, Proc] = {}
        end = time.monotonic() + DEADLINE_S
        while todo and time.monotonic() < end:
            reader = _Reader(todo, self._describe)
            reader.run_until(end)
            found.update({proc.pid: proc for proc in reader.found})
            if reader.current is not None:
                self._stuck[reader.current.pid, reader.current.start] = reader.thread
        now = boot_clock()
        self._last.update({proc.key: (now, proc) for proc in found.values()})
        return found

    def _describe(self, stat: Stat) -> Proc:
        folder = f"{PROC}/{stat.pid}"
        python = self._python_version((stat.pid, stat.start), folder)
        if python is None:
            return Proc(stat)
        maps = functools.cache(lambda: read_maps(stat.pid))
        return Proc(
            stat,
            python,
            strings(read_bytes(f"{folder}/cmdline")),
            self._environments.of(stat.pid, stat.image, maps),
            _comms(folder),
            read_text(f"{folder}/cgroup"),
            self._libraries(stat, maps),
        )

    def _libraries(self, stat: Stat, maps: Callable[[], str]) -> tuple[str, ...]:
        """Look again only at what has no torch yet: its maps are long, and it is never unloaded."""
        _, last = self._last.get((stat.pid, stat.start), (0.0, None))
        if last and last.stat.image == stat.image != 0 and has_torch(last.libraries):
            return last.libraries
        return telling_libraries(maps())

    def _python_version(self, key: Key, folder: str) -> str | None:
        try:
            executable = os.readlink(f"{folder}/exe").removesuffix(" (deleted)")  # noqa: PTH115
        except OSError:
            return None
        if (key, executable) not in self._python:
            self._python[key, executable] = python_version(executable, read_maps(key[0]))
        return self._python[key, executable]


class _Reader:
    """One thread that describes processes until none is left or it is given up."""

    def __init__(self, todo: deque[Stat], describe: Callable[[Stat], Proc]) -> None:
        self.found: list[Proc] = []
        self.current: Stat | None = None
        self._todo = todo
        self._describe = describe
        self._given_up = False
        self.thread = threading.Thread(target=self._work, daemon=True, name="rankscope-scan")

    def run_until(self, end: float) -> None:
        """Wait while the thread gets on; current is the process at which it stopped, or None."""
        self.thread.start()
        seen, since = -1, time.monotonic()
        while self.thread.is_alive():
            self.thread.join(timeout=0.1)
            now = time.monotonic()
            if len(self.found) != seen:
                seen, since = len(self.found), now
            elif now - since > STALL_S or now > end:
                self._given_up = True
                return

    def _work(self) -> None:
        while not self._given_up:
            try:
                self.current = self._todo.popleft()
            except IndexError:
                break
            self.found.append(self._describe(self.current))
        if not self._given_up:
            self.current = None


def python_version(executable: str, maps: str) -> str | None:
    """Return `3.11` for a Python process (empty when unknown), None for any other.

    A process is Python when its executable is called so or it has libpython loaded.
    """
    name = Path(executable).name
    library = _LIBPYTHON.search(maps)
    if library:
        return library[1]
    if not _PYTHON.match(name):
        return None
    version = _VERSION.search(name)
    return version[1] if version else ""


def _comms(folder: str) -> frozenset[str]:
    try:
        names = os.listdir(f"{folder}/task")  # noqa: PTH208
    except OSError:
        return frozenset()
    return frozenset(read_text(f"{folder}/task/{name}/comm") for name in names)
