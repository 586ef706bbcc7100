"""What can go wrong with one rank, done to it from outside while the job runs.

Nothing of it shows in the job's own code: storage hangs, data is bad or long or far too long, a
process is stopped or killed.
"""

import os
import signal
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from sandbox.cluster.corpus import SHARDS, Shard, make_shard, shard_path, write_shard

SLOW_PARTS = 32
"""Parts of a document in a slow rank's data; the attention mask grows with their square."""

OOM_PARTS = 96
"""Parts of the only document of a shard whose attention scores fit on no GPU."""


class Fault(StrEnum):
    """What happens to the rank."""

    NONE = "none"  # nothing
    FIFO = "fifo"  # its data worker blocks opening a FIFO, as on storage that does not answer
    SPIN = "spin"  # a document whose parts form a ring: endless preprocessing
    SIGSTOP = "sigstop"  # the trainer is stopped
    KILLED = "killed"  # the trainer is killed; nobody tells the others
    SLOW = "slow"  # its documents are 16 times as long, and so is its work before each step
    OOM = "oom"  # one document is so long that the GPU's memory ends, and with it the job


def inject(fault: Fault, data: Path, rank: int, pid: int) -> None:
    """Do it to a rank whose trainer has the given PID."""
    if fault is Fault.SIGSTOP:
        os.kill(pid, signal.SIGSTOP)
    elif fault is Fault.KILLED:
        os.kill(pid, signal.SIGKILL)
    elif fault is not Fault.NONE:
        for number in range(SHARDS):
            _spoil(fault, shard_path(data, rank, number), rank, number)


def _spoil(fault: Fault, path: Path, rank: int, number: int) -> None:
    if fault is Fault.FIFO:
        fresh = path.with_suffix(".fifo")
        os.mkfifo(fresh)
        fresh.replace(path)
    elif fault is Fault.SLOW:
        write_shard(path, make_shard(rank, number, SLOW_PARTS))
    elif fault is Fault.OOM:
        parts = make_shard(rank, number, OOM_PARTS).parts[:OOM_PARTS]
        write_shard(path, Shard(parts, [0]))
    else:
        shard = make_shard(rank, number)
        shard.parts[1] = replace(shard.parts[1], following=0)
        write_shard(path, shard)
