"""What a launcher such as torchrun does when a rank fails: it ends the others and says whose fault.

The words have the form of PyTorch's elastic launcher, since people's logs do.
"""

import os
from dataclasses import dataclass
from datetime import datetime
from typing import IO

_PLACE = "torch/distributed/elastic/multiprocessing/api.py"
_RULE = "=" * 60


@dataclass(frozen=True, slots=True)
class Failed:
    """The rank that failed first."""

    rank: int
    local_rank: int
    node: str
    pid: int
    code: int


def write_ending(log: IO[bytes], failed: Failed, others: list[int]) -> None:
    """Write that the other processes are asked to end, and the summary that names the first."""
    now = datetime.now().astimezone()
    head = f"{now:%m%d %H:%M:%S}.{now.microsecond:06d} {os.getpid()} {_PLACE}"
    lines = [f"W{head}:900] Sending process {pid} closing signal SIGTERM" for pid in others]
    code = f"(exitcode: {failed.code}) local_rank: {failed.local_rank}"
    lines += [
        f"E{head}:874] failed {code} (pid: {failed.pid}) of binary: python",
        "Traceback (most recent call last):",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        _RULE,
        "sandbox.cluster.trainer FAILED",
        "Root Cause (first observed failure):",
        "[0]:",
        f"  time      : {now:%Y-%m-%d_%H:%M:%S}",
        f"  host      : {failed.node}",
        f"  rank      : {failed.rank} (local_rank: {failed.local_rank})",
        f"  exitcode  : {failed.code} (pid: {failed.pid})",
        "  error_file: <N/A>",
        _RULE,
    ]
    log.write(("\n".join(lines) + "\n").encode())
    log.flush()
