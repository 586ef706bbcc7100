"""A loop that averages its gradients by hand."""

import time
from argparse import Namespace
from datetime import timedelta

import torch
import torch.distributed as dist
from common import RANK, WORLD, join, mark, options
from feed import Shards

SAVES = {"save_stuck", "save_on"}
EVERY = 5


class Loop:
    """Trains one small matrix."""

    def __init__(self, given: Namespace) -> None:
        self.given = given
        self.shards = Shards(given.folder, given.trouble, lambda: mark(given.folder, "stuck"))
        self.weights = torch.zeros(64, 64)

    def run(self) -> None:
        step = 0
        while not self.is_over(step):
            self.train_one(step)
            step += 1
            if step == 2:
                mark(self.given.folder, "ready")
            if step % EVERY == 0:
                self.after_some_steps(step)
        self.finish()

    def is_over(self, step: int) -> bool:
        return self.given.trouble == "uneven" and step == EVERY + 1

    def train_one(self, step: int) -> None:
        batch = self.shards.take()
        loss = self.loss_of(batch)
        if not (self.given.trouble == "skips" and step == EVERY - 1):
            self.average(self.weights + loss)

    def loss_of(self, batch: torch.Tensor) -> torch.Tensor:
        for _ in range(40):
            batch = torch.tanh(self.weights @ batch + 0.1)
        return batch.sum()

    def average(self, gradients: torch.Tensor) -> None:
        dist.all_reduce(gradients)
        self.weights = gradients / WORLD

    def after_some_steps(self, step: int) -> None:
        trouble = self.given.trouble
        if trouble in {"skips", "alone"}:
            mark(self.given.folder, "stuck")
        if trouble == "alone":
            self.log_everything(step)
        if trouble in SAVES:
            self.save()
        if trouble == "evaluates":
            self.evaluate()
        dist.barrier()

    def log_everything(self, step: int) -> None:
        seen: list[object] = [None] * WORLD
        dist.all_gather_object(seen, {"rank": RANK, "step": step})

    def save(self) -> None:
        mark(self.given.folder, "stuck")
        if self.given.trouble == "save_stuck":
            torch.save(self.weights, self.given.folder / "part-0003")
        for number in range(100_000):
            torch.save(
                {f"layer-{n}": self.weights.clone() for n in range(40)},
                self.given.folder / f"saved-{number % 3}",
            )

    def evaluate(self) -> None:
        mark(self.given.folder, "stuck")
        for number in range(10_000_000):
            self.score(torch.full((64,), float(number)))

    def score(self, batch: torch.Tensor) -> float:
        return float(self.loss_of(batch))

    def finish(self) -> None:
        mark(self.given.folder, "stuck")
        dist.barrier()


def main() -> None:
    given = options()
    join(given)
    if given.trouble == "resists":
        survive(given)
    Loop(given).run()


def survive(given: Namespace) -> None:
    """Train until a peer is lost, then wait for the launcher to bring a new one."""
    try:
        Loop(given).run()
    except RuntimeError:
        mark(given.folder, "waits")
        store = dist.distributed_c10d._get_default_store()
        store.set_timeout(timedelta(hours=1))
        store.wait(["everybody-is-back"])
    time.sleep(3600)


if __name__ == "__main__":
    main()
