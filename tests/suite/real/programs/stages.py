"""A pipeline: each rank is a stage and hands activations to the next one."""

import time
from argparse import Namespace

import torch
import torch.distributed as dist
from common import RANK, WORLD, join, mark, options


class Stage:
    """One stage of the pipeline."""

    def __init__(self, given: Namespace) -> None:
        self.given = given
        self.weights = torch.eye(64)

    def run(self) -> None:
        for number in range(1 << 30):
            self.one_batch(number)
            if number == 1:
                mark(self.given.folder, "ready")

    def one_batch(self, number: int) -> None:
        moved = self.take_activations(number)
        moved = self.compute(moved, number)
        self.hand_on(moved, number)
        self.take_back(number)

    def take_activations(self, number: int) -> torch.Tensor:
        moved = torch.full((64,), float(number))
        if RANK > 0:
            dist.recv(moved, RANK - 1)
        return moved

    def compute(self, moved: torch.Tensor, number: int) -> torch.Tensor:
        trouble = self.given.trouble
        if number == 3 and trouble in {"stage_sleeps", "stage_spins", "stage_barrier"}:
            mark(self.given.folder, "stuck")
            self.go_wrong(trouble)
        for _ in range(30):
            moved = torch.tanh(self.weights @ moved)
        return moved

    def go_wrong(self, trouble: str) -> None:
        if trouble == "stage_sleeps":
            time.sleep(3600)
        if trouble == "stage_barrier":
            dist.barrier()
        while trouble == "stage_spins":
            self.weights = self.weights * 1.0

    def hand_on(self, moved: torch.Tensor, number: int) -> None:
        if RANK < WORLD - 1:
            if self.given.trouble == "crossed" and number == 3:
                mark(self.given.folder, "stuck")
                dist.recv(moved, RANK + 1)
            dist.send(moved, RANK + 1)

    def take_back(self, number: int) -> None:
        if self.given.trouble == "mutual" and number == 3:
            mark(self.given.folder, "stuck")
            dist.recv(self.weights, (RANK + 1) % WORLD)
        back = torch.zeros(64)
        if RANK < WORLD - 1:
            dist.recv(back, RANK + 1)
        if RANK > 0:
            dist.send(back, RANK - 1)


def main() -> None:
    given = options()
    join(given)
    Stage(given).run()


if __name__ == "__main__":
    main()
