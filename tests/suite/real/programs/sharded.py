"""Training with sharded parameters (FSDP2)."""

import time
from argparse import Namespace

import torch
from common import join, mark, options
from feed import Shards
from torch import nn
from torch.distributed.fsdp import fully_shard


class Tower(nn.Module):
    """Layers that are gathered one by one."""

    def __init__(self, given: Namespace) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(64, 64) for _ in range(4))
        self.extra = nn.Linear(64, 64)
        self.given = given
        self.passes = 0

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        self.passes += 1
        for block in self.blocks:
            batch = torch.relu(block(batch))
            self.between_blocks()
        if self.passes == 3 and self.given.trouble == "extra_branch":
            mark(self.given.folder, "stuck")
            batch = self.look(batch)
        return batch.sum()

    def between_blocks(self) -> None:
        if self.passes == 3 and self.given.trouble == "shard_sleeps":
            mark(self.given.folder, "stuck")
            time.sleep(3600)

    def look(self, batch: torch.Tensor) -> torch.Tensor:
        return self.extra(batch)


def build(given: Namespace) -> nn.Module:
    tower = Tower(given)
    for block in (*tower.blocks, tower.extra):
        fully_shard(block)
    return fully_shard(tower)


def main() -> None:
    given = options()
    join(given)
    tower = build(given)
    optimizer = torch.optim.SGD(tower.parameters(), lr=0.01)
    shards = Shards(given.folder, given.trouble, lambda: mark(given.folder, "stuck"))
    for number in range(1 << 30):
        optimizer.zero_grad()
        tower(shards.take().reshape(1, 64)).backward()
        optimizer.step()
        if number == 1:
            mark(given.folder, "ready")


if __name__ == "__main__":
    main()
