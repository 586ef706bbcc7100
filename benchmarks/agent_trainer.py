"""One rank of the job that benchmarks/agent.py captures: torch, gloo and DataLoader workers.

It waits for lines on standard input. `spin SECONDS` makes it read the clock in a tight loop and
print, as JSON, what that showed: `stopped_ms`, the longest gap in which the kernel took the thread
off its core although it had not used up its turn, and `gap_ms`, the longest of all gaps. A stop by
ptrace counts as a voluntary context switch, being preempted does not, and the loop itself never
waits: that tells a pause by a dump from a busy machine.
"""

import json
import os
import resource
import sys
import time

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, Dataset

WORKERS = 4
DEPTH = 24
"""Frames between the script and where it waits, as a training framework has them."""
GAP_NS = 100_000


class Batches(Dataset[torch.Tensor]):
    """Endless batches; the workers soon wait for somebody to take them."""

    def __len__(self) -> int:
        return 1 << 30

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.full((4,), float(index))


def main() -> None:
    """Join the process group, start the workers, and obey."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    loader = DataLoader(
        Batches(), batch_size=2, num_workers=WORKERS, multiprocessing_context="fork"
    )
    batches = iter(loader)
    next(batches)
    print(
        json.dumps({"pid": os.getpid(), "workers": [w.pid for w in batches._workers]}), flush=True
    )
    frame(DEPTH)


def frame(depth: int) -> None:
    """Stand for the frames of a training framework."""
    if depth:
        frame(depth - 1)
    else:
        obey()


def obey() -> None:
    """Do what the lines of standard input say until it is closed."""
    for line in sys.stdin:
        command, seconds = line.split()
        if command == "spin":
            print(json.dumps(spin(float(seconds))), flush=True)


def spin(seconds: float) -> dict[str, float]:
    """Read the clock for so long and return the longest gaps, in milliseconds."""
    stopped = longest = 0
    switches = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
    before = time.perf_counter_ns()
    end = before + int(seconds * 1e9)
    while before < end:
        now = time.perf_counter_ns()
        if now - before > GAP_NS:
            seen = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
            longest = max(longest, now - before)
            if seen != switches:
                stopped, switches = max(stopped, now - before), seen
            now = time.perf_counter_ns()
        before = now
    return {"stopped_ms": stopped / 1e6, "gap_ms": longest / 1e6}


if __name__ == "__main__":
    main()
