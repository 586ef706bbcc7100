"""Other signs of life than the log: checkpoints, the use of GPUs, the CPU time of processes.

Nothing here is certain. A GPU that waits inside a NCCL kernel is at 100 %, so that use alone never
proves progress; that neither GPU nor CPU does anything speaks for a hang. What cannot be looked at
is None and said to be unknown.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BUSY_GPU_PERCENT = 10
BUSY_CORES = 0.05
MOST_FILES = 20_000
DEEPEST = 4
NVIDIA_SMI_TIMEOUT_S = 10.0
_NVIDIA_SMI = ("--query-gpu=utilization.gpu", "--format=csv,noheader,nounits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """What was seen; gpu_percent is that of the busiest GPU, cores the CPU time per second."""

    checkpoint_time: float | None = None
    gpu_percent: int | None = None
    cores: float | None = None

    @property
    def metrics(self) -> bool | None:
        """Whether the hardware is used; None when nobody looked."""
        if self.gpu_percent is not None:
            return self.gpu_percent >= BUSY_GPU_PERCENT
        return None if self.cores is None else self.cores >= BUSY_CORES


class Watched:
    """What to look at beside the logs."""

    def __init__(self, checkpoints: tuple[Path, ...], pids: tuple[int, ...], *, gpus: bool) -> None:
        self._checkpoints = checkpoints
        self._pids = pids
        self._nvidia_smi = shutil.which("nvidia-smi") if gpus else None
        self._started = {pid: _start_time(pid) for pid in pids}
        self._cpu = (time.monotonic(), self._cpu_s())

    def look(self) -> Signs:
        """Look at all of it; CPU time counts since the last look."""
        before_at, before_s = self._cpu
        self._cpu = (time.monotonic(), self._cpu_s())
        took = self._cpu[0] - before_at
        return Signs(
            checkpoint_time=newest(self._checkpoints) if self._checkpoints else None,
            gpu_percent=_busiest(self._nvidia_smi) if self._nvidia_smi else None,
            cores=max(0.0, self._cpu[1] - before_s) / took if self._pids and took > 0 else None,
        )

    def is_gone(self) -> bool:
        """Whether all processes named have ended; a reused process id is another process."""
        return bool(self._pids) and not any(self._lives(pid) for pid in self._pids)

    def _lives(self, pid: int) -> bool:
        started = _start_time(pid)
        return started is not None and started == self._started[pid]

    def _cpu_s(self) -> float:
        ticks = sum(_tree_ticks(pid) for pid in self._pids)
        return ticks / os.sysconf("SC_CLK_TCK")


def newest(folders: tuple[Path, ...]) -> float | None:
    """Return when the newest file below the folders was written; None when there is none."""
    times = [status.st_mtime for folder in folders for status in _files(folder)]
    return max(times, default=None)


def _files(folder: Path) -> Iterator[os.stat_result]:
    left = MOST_FILES
    waiting = [(folder, 0)]
    while waiting and left > 0:
        here, depth = waiting.pop()
        try:
            entries = list(os.scandir(here))
        except OSError:
            continue
        for entry in entries[:left]:
            left -= 1
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST:
                        waiting.append((Path(entry.path), depth + 1))
                else:
                    yield entry.stat()
            except OSError:
                continue  # Checkpoints are renamed and removed while they are written.


def _busiest(nvidia_smi: str) -> int | None:
    try:
        done = subprocess.run(
            [nvidia_smi, *_NVIDIA_SMI],
            capture_output=True,
            text=True,
            timeout=NVIDIA_SMI_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    used = [int(line) for line in done.stdout.split() if line.isdigit()]
    return max(used, default=None)


def _stat(pid: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if not fields or fields[0] in {"Z", "X"} else fields


def _start_time(pid: int) -> str | None:
    fields = _stat(pid)
    return fields[19] if fields else None


def _tree_ticks(root: int) -> int:
    """Return the CPU time of a process and all below it, in clock ticks."""
    total, waiting, seen = 0, [root], set[int]()
    while waiting:
        pid = waiting.pop()
        fields = _stat(pid)
        if fields is None or pid in seen:
            continue
        seen.add(pid)
        total += int(fields[11]) + int(fields[12])
        waiting += _children(pid)
    return total


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text(encoding="ascii").split()]
        except OSError:
            continue
    return found
