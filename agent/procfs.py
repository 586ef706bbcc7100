"""What /proc says about processes and their tasks; each reader gives nothing for one that is gone.

`stat`, `status`, `comm` and `wchan` never block. `cmdline`, `environ`, `maps` and `mem` wait for
the target's memory lock, which a task in D may hold, so that only `agent.scan` reads them. Paths
are plain text, since a capture of 40 processes reads some thousand files.
"""

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rankscope.model.capture import Task

PROC = Path("/proc")
CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
UNSAFE_TO_STOP = frozenset("DTt")
# Wait channels of frozen (cgroup) and traced tasks: stopping these never ends.
UNSAFE_CHANNELS = frozenset({"do_freezer_trap", "__refrigerator", "ptrace_stop"})
_START = 19  # among the fields of /proc/PID/stat after the name
_READ_LIMIT = 1 << 22
_FIRST_READ = 1 << 14


def boot_clock() -> float:
    """Return the seconds since boot, suspended time included, as /proc/PID/stat counts starts."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True, slots=True)
class Stat:
    """The fields of /proc/PID/stat that we use; start is in clock ticks since boot.

    image is where the stack begins, which the kernel draws anew at each exec; 0 when not permitted.
    """

    pid: int
    comm: str
    state: str
    ppid: int
    cpu_ticks: int
    start: int
    image: int = 0


def parse_stat(text: str) -> Stat:
    """Parse /proc/PID/stat; comm may hold blanks and parentheses (proc_pid_stat(5))."""
    head, _, tail = text.rpartition(")")
    pid, _, comm = head.partition("(")
    fields = tail.split()
    ticks = int(fields[11]) + int(fields[12])
    image = int(fields[25]) if len(fields) > 25 else 0
    return Stat(int(pid), comm, fields[0], int(fields[1]), ticks, int(fields[_START]), image)


def read_bytes(path: Path | str) -> bytes:
    """Return a file's first 4 MiB, or nothing when it is gone or closed to us."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return _read_all(descriptor)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    found = piece = os.read(descriptor, _FIRST_READ)
    while piece and len(found) < _READ_LIMIT:
        piece = os.read(descriptor, _READ_LIMIT - len(found))
        found += piece
    return found


def read_text(path: Path | str) -> str:
    """Return a file's text without the trailing newline; see read_bytes."""
    return read_bytes(path).decode(errors="replace").rstrip("\n")


def read_stat(pid: int) -> Stat | None:
    """Return a process's status line, or None when the process is gone."""
    text = read_text(f"{PROC}/{pid}/stat")
    return parse_stat(text) if text else None


def all_stats() -> Iterator[Stat]:
    """Yield every process except kernel threads."""
    # In a PID namespace of its own, process 2 is an ordinary process and so are its children.
    kernel = {2} if read_text(f"{PROC}/2/comm") == "kthreadd" else set()
    for pid in _numbers(str(PROC)):
        stat = read_stat(pid)
        if stat and not kernel & {stat.pid, stat.ppid}:
            yield stat


def _numbers(folder: str) -> list[int]:
    return [int(name) for name in os.listdir(folder) if name.isdigit()]  # noqa: PTH208


def same_process(pid: int, start: int) -> bool:
    """Whether the PID still means the process that started then."""
    fields = read_text(f"{PROC}/{pid}/stat").rpartition(")")[2].split()
    return len(fields) > _START and int(fields[_START]) == start


def has_ended(pid: int) -> bool:
    """Whether a process has given up its memory: it is a zombie, or about to be one."""
    try:
        os.readlink(f"{PROC}/{pid}/exe")  # noqa: PTH115
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def strings(raw: bytes) -> tuple[str, ...]:
    """Split the NUL-terminated strings of cmdline or environ."""
    return tuple(part.decode(errors="replace") for part in raw.split(b"\0") if part)


def pairs(raw: bytes) -> dict[str, str]:
    """Return the variables of an environment block."""
    return dict(part.split("=", 1) for part in strings(raw) if "=" in part)


@dataclass(frozen=True, slots=True)
class TaskFacts:
    """A task, and its id inside the target's own PID namespace."""

    task: Task
    inner_tid: int
    kernel_stack: str = ""


def read_tasks(pid: int) -> tuple[TaskFacts, ...]:
    """Return the tasks of a process with their states, main task first."""
    folder = f"{PROC}/{pid}/task"
    try:
        tids = sorted(_numbers(folder))
    except OSError:
        return ()
    foreign = in_other_pid_namespace(pid)
    found = (_read_task(f"{folder}/{tid}", foreign=foreign) for tid in tids)
    return tuple(sorted((t for t in found if t), key=lambda t: t.task.tid != pid))


def _read_task(folder: str, *, foreign: bool) -> TaskFacts | None:
    text = read_text(f"{folder}/stat")
    if not text:
        return None
    stat = parse_stat(text)
    wchan = read_text(f"{folder}/wchan")
    wchan = "" if wchan == "0" else wchan
    task = Task(stat.pid, stat.comm, stat.state, wchan, stat.cpu_ticks)
    stack = read_text(f"{folder}/stack") if stat.state == "D" else ""
    inner = inner_pid(read_text(f"{folder}/status"), stat.pid) if foreign else stat.pid
    return TaskFacts(task, inner, stack)


def inner_pid(status: str, pid: int) -> int:
    """Return the id in the innermost PID namespace: the last column of NSpid."""
    match = re.search(r"^NSpid:.*?(\d+)\s*$", status, re.MULTILINE)
    return int(match[1]) if match else pid


def in_other_pid_namespace(pid: int) -> bool:
    """Whether the process counts its PIDs in another namespace than this one."""
    try:
        own, other = (os.readlink(f"{PROC}/{one}/ns/pid") for one in ("self", pid))  # noqa: PTH115
    except OSError:
        return False
    return own != other


def may_be_stopped(tasks: tuple[TaskFacts, ...]) -> bool:
    """Whether stopping all tasks for a blocking dump ends at once.

    With a task in D, or frozen, py-spy would wait for it and leave the others stopped meanwhile.
    """
    return bool(tasks) and not any(
        t.task.state in UNSAFE_TO_STOP or t.task.wchan in UNSAFE_CHANNELS for t in tasks
    )
