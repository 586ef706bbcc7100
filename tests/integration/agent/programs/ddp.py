"""A DDP-like job on gloo: each rank loads a batch, computes, and joins in an all-reduce.

`ready-<rank>` appears in the folder once the rank is past its first step.
"""

import argparse
import ctypes
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import setproctitle
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset[torch.Tensor]):
    def __len__(self) -> int:
        return 1 << 30

    def __getitem__(self, index: int) -> torch.Tensor:
        time.sleep(0.01)
        return torch.full((4,), float(index))


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--loaders", choices=["fork", "spawn"])
    parser.add_argument("--title", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--threads", type=int, default=0, help="of rank 1")
    parser.add_argument("--hang", type=int, default=-1, help="rank that goes into state D")
    parser.add_argument("--spawn", type=int, default=0, help="ranks to start by mp.spawn")
    return parser.parse_args()


def train(given: argparse.Namespace) -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    if given.title:
        setproctitle.setproctitle(f"trainer of rank {rank}")
    if rank == 1:
        for _ in range(given.threads):
            threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    loop(given, rank)


def loop(given: argparse.Namespace, rank: int) -> None:
    double = compiled() if given.compile else compute
    for step, batch in enumerate(batches(given.loaders)):
        if step == 1 and rank == given.hang:
            (given.folder / f"ready-{rank}").touch()
            wait_in_d()
        total = double(batch).sum()
        if step == 1:
            (given.folder / f"ready-{rank}").touch()
        dist.all_reduce(total)


def compute(batch: torch.Tensor) -> torch.Tensor:
    return torch.sin(batch) * 2


def compiled() -> Callable[[torch.Tensor], torch.Tensor]:
    """Compile, and start Inductor's workers as a build with Triton does (maybe_warm_pool)."""
    from torch._inductor.async_compile import AsyncCompile  # noqa: PLC0415 (costs seconds)

    AsyncCompile.warm_pool()
    AsyncCompile.wakeup()
    AsyncCompile.wait_pool_ready()
    faster: Callable[[torch.Tensor], torch.Tensor] = torch.compile(compute, backend="eager")
    return faster


def batches(method: str | None) -> DataLoader[torch.Tensor]:
    if method is None:
        return DataLoader(Numbers(), batch_size=2)
    return DataLoader(Numbers(), batch_size=2, num_workers=2, multiprocessing_context=method)


def wait_in_d() -> None:
    """Fall into uninterruptible sleep: the kernel keeps the parent so until vfork's child ends."""
    if ctypes.CDLL(None).vfork() == 0:
        time.sleep(3600)


def spawned(index: int, given: argparse.Namespace) -> None:
    os.environ.update(RANK=str(index), LOCAL_RANK=str(index), WORLD_SIZE=str(given.spawn))
    train(given)


if __name__ == "__main__":
    torch.set_num_threads(1)
    chosen = options()
    if chosen.spawn:
        mp.spawn(spawned, (chosen,), nprocs=chosen.spawn)
    else:
        train(chosen)
