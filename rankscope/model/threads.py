"""Threads of a process as py-spy and the kernel saw them, alone and as columns of a whole process.

In columns, what many threads have in common is one object, and only numbers are a process's own:
a large job has millions of threads, of which the analysis looks at few.
"""

from collections.abc import Iterator
from typing import overload

import msgspec


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One call; line 0 means that the line is unknown (native code), which is no anomaly."""

    name: str
    filename: str = ""
    line: int = 0
    short_filename: str | None = None
    module: str | None = None


class Thread(msgspec.Struct, frozen=True, gc=False):
    """One thread as py-spy saw it; frames run from the innermost to the outermost."""

    name: str | None
    frames: tuple[Frame, ...]
    os_thread_id: int | None = None
    active: bool | None = None
    owns_gil: bool | None = None


class Task(msgspec.Struct, frozen=True, gc=False):
    """One kernel task of a process; state is the letter of /proc/PID/task/TID/stat.

    cpu_ticks is utime + stime in clock ticks, so that two samples show whether it ran.
    """

    tid: int
    comm: str = ""
    state: str = ""
    wchan: str = ""
    cpu_ticks: int | None = None


class Threads(msgspec.Struct, eq=False, gc=False):
    """The threads of a process, like a tuple of them, which is made when somebody looks inside.

    `alike` are the threads without ids: the same object for all processes whose threads stand at
    the same places, with the main thread, that of the process's own id, at the same index.
    """

    alike: tuple[Thread, ...]
    ids: tuple[int | None, ...]
    made: tuple[Thread, ...] | None = None

    def _all(self) -> tuple[Thread, ...]:
        if self.made is None:
            self.made = tuple(
                Thread(kind.name, kind.frames, tid, kind.active, kind.owns_gil)
                for kind, tid in zip(self.alike, self.ids, strict=True)
            )
        return self.made

    def __len__(self) -> int:
        return len(self.alike)

    def __iter__(self) -> Iterator[Thread]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> Thread: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Thread, ...]: ...
    def __getitem__(self, index: int | slice) -> Thread | tuple[Thread, ...]:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Threads | tuple) and self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())


class Tasks(msgspec.Struct, eq=False, gc=False):
    """The kernel tasks of a process, like a tuple of them; `alike` are shared, without ids."""

    alike: tuple[Task, ...]
    ids: tuple[int, ...]
    cpu_ticks: tuple[int | None, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Task]:
        columns = zip(self.alike, self.ids, self.cpu_ticks, strict=True)
        return (Task(tid, a.comm, a.state, a.wchan, ticks) for a, tid, ticks in columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tasks | tuple) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))
