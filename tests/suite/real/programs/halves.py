"""Tensor parallelism by hand: layers are reduced within a group, gradients over the groups."""

from argparse import Namespace

import torch
import torch.distributed as dist
from common import RANK, WORLD, join, mark, options
from feed import Shards


class RowParallelLayer:
    """Half of a layer; its outputs are summed over the group."""

    def __init__(self, group: dist.ProcessGroup) -> None:
        self.group = group
        self.weights = torch.eye(64)

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        partial = torch.tanh(self.weights @ batch)
        dist.all_reduce(partial, group=self.group)
        return partial


def groups(size: int) -> tuple[dist.ProcessGroup, dist.ProcessGroup]:
    """Return this rank's tensor-parallel and its data-parallel group."""
    tensor = [dist.new_group(list(range(s, s + size))) for s in range(0, WORLD, size)]
    data = [dist.new_group(list(range(s, WORLD, size))) for s in range(size)]
    return tensor[RANK // size], data[RANK % size]


def train(given: Namespace) -> None:
    tensor, data = groups(given.tensor_parallel_size)
    layers = [RowParallelLayer(tensor) for _ in range(4)]
    shards = Shards(given.folder, given.trouble, lambda: mark(given.folder, "stuck"))
    for number in range(given.steps):
        batch = shards.take()
        for index, layer in enumerate(layers):
            if given.trouble == "skips_layer" and number == 3 and index == 2:
                continue
            batch = layer.forward(batch)
        sum_gradients(batch, data)
        if number == 1:
            mark(given.folder, "ready")
    if given.trouble == "skips_layer":
        mark(given.folder, "stuck")
    dist.barrier()


def sum_gradients(gradients: torch.Tensor, data: dist.ProcessGroup) -> None:
    dist.all_reduce(gradients, group=data)


def main() -> None:
    given = options()
    join(given)
    train(given)


if __name__ == "__main__":
    main()
