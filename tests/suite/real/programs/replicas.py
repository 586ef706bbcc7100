"""Data-parallel training with DistributedDataParallel."""

import threading
import time
from argparse import Namespace
from collections.abc import Iterator

import torch
import torch.distributed as dist
from common import join, mark, options
from feed import Samples, Shards, loaded
from torch import nn
from torch.nn.parallel import DistributedDataParallel

LOADERS = {"workers", "loaders", "slow_loaders"}


class Mixer(nn.Module):
    """A few layers; the third forward pass may go wrong."""

    def __init__(self, given: Namespace) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(64, 64) for _ in range(4))
        self.given = given
        self.passes = 0

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        self.passes += 1
        for layer in self.layers:
            batch = self.mix(layer, batch)
        return batch.sum()

    def mix(self, layer: nn.Module, batch: torch.Tensor) -> torch.Tensor:
        if self.passes == 3 and self.given.trouble in {"forward_sleep", "forward_spin"}:
            mark(self.given.folder, "stuck")
            self.route(batch)
        return torch.relu(layer(batch))

    def route(self, batch: torch.Tensor) -> None:
        if self.given.trouble == "forward_sleep":
            time.sleep(3600)
        while batch.numel():
            batch = batch + 0.0


def main() -> None:
    given = options()
    join(given)
    wrapped = wrap(given)
    train(given, wrapped)


def wrap(given: Namespace) -> DistributedDataParallel:
    if given.trouble == "builds":
        mark(given.folder, "stuck")
        read_weights(given)
    return DistributedDataParallel(Mixer(given))


def read_weights(given: Namespace) -> bytes:
    return (given.folder / "part-0003").read_bytes()


def train(given: Namespace, model: DistributedDataParallel) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for number, batch in enumerate(batches(given)):
        optimizer.zero_grad()
        model(batch.reshape(-1, 64)).backward()
        optimizer.step()
        if number == 1:
            mark(given.folder, "ready")
        if number == 6 and given.trouble in {"ends", "leaves"}:
            mark(given.folder, "stuck")
            break
        if number % 50 == 49:
            report(number)
    close(given)


def report(number: int) -> None:
    dist.all_reduce(torch.tensor([float(number)]))


def batches(given: Namespace) -> Iterator[torch.Tensor]:
    if given.trouble in LOADERS:
        pause = 0.5 if given.trouble == "slow_loaders" else 0.01
        yield from loaded(Samples(given.folder, given.trouble, pause))
        return
    shards = Shards(given.folder, given.trouble, lambda: mark(given.folder, "stuck"))
    while True:
        yield shards.take()


def close(given: Namespace) -> None:
    if given.trouble == "leaves":
        threading.Thread(target=upload, args=(given,), name="uploader").start()
        return
    dist.barrier()


def upload(given: Namespace) -> bytes:
    return (given.folder / "part-0003").read_bytes()


if __name__ == "__main__":
    main()
