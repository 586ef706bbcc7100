"""One rank of the training job: `python -m sandbox.cluster.trainer`, with the usual variables."""

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType

from sandbox.cluster.collective import Ring
from sandbox.cluster.data import ShardLoader
from sandbox.cluster.lifeline import die_with_parent
from sandbox.cluster.model import Model
from sandbox.cluster.steplog import StepLog
from sandbox.cluster.store import Address


@dataclass(frozen=True, slots=True)
class Place:
    """Where this process stands in its job."""

    rank: int
    local_rank: int
    world_size: int
    master: Address

    @classmethod
    def of_environment(cls) -> "Place":
        """Read the variables that launchers set."""
        env = os.environ
        master = Address(env["MASTER_ADDR"], int(env["MASTER_PORT"]))
        return cls(int(env["RANK"]), int(env["LOCAL_RANK"]), int(env["WORLD_SIZE"]), master)


class Trainer:
    """The training loop of one rank."""

    def __init__(self, ring: Ring, loader: ShardLoader, model: Model, log: StepLog | None) -> None:
        self.ring = ring
        self.loader = loader
        self.model = model
        self.log = log

    def fit(self, steps: int) -> None:
        """Train for a number of steps."""
        for step in range(1, steps + 1):
            loss, norm = self.train_step(step)
            if self.log:
                self.log.write(step, loss, norm)

    def train_step(self, step: int) -> tuple[float, float]:
        """Train on one batch; return the mean loss and the norm of the mean gradient."""
        batch = self.loader.next_batch()
        loss = self.model.forward(batch)
        gradient = self.model.backward(batch)
        *gradient, loss = self.sync_gradients(gradient, loss, step)
        return loss, self.model.update(gradient)

    def sync_gradients(self, gradient: list[float], loss: float, step: int) -> list[float]:
        """Return the means over all ranks: the gradient, then the loss."""
        summed = self.ring.all_reduce([*gradient, loss], step)
        return [value / self.ring.world_size for value in summed]


@dataclass(frozen=True, slots=True)
class Options:
    """What the launcher says beside the environment; `host` is this node's address."""

    data: Path
    host: str
    step_ms: float
    steps: int
    launcher: int

    @classmethod
    def of_arguments(cls, arguments: Sequence[str]) -> "Options":
        """Read the command line."""
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--data", type=Path, required=True, help="Folder of the corpus.")
        parser.add_argument("--host", required=True, help="Address of this node.")
        parser.add_argument("--step-ms", type=float, default=200.0, help="Usual length of a step.")
        parser.add_argument("--steps", type=int, default=500_000, help="Steps to train.")
        parser.add_argument(
            "--launcher", type=int, required=True, help="PID of the launcher; we end with it."
        )
        return cls(**vars(parser.parse_args(arguments)))


def print_failure(
    rank: int, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print a failure with the rank before each line, as PyTorch does; at once, so in one piece."""
    lines = "".join(traceback.format_exception(kind, error, trace)).splitlines()
    sys.stderr.write("".join(f"[rank{rank}]: {line}\n" for line in lines))


def main() -> None:
    """Train as the rank that RANK names."""
    options, place = Options.of_arguments(sys.argv[1:]), Place.of_environment()
    sys.excepthook = partial(print_failure, place.rank)
    die_with_parent(options.launcher)
    loader = ShardLoader(options.data, place.rank)  # before the ring: it inherits no sockets
    ring = Ring.connect(place.master, place.rank, place.world_size, options.host)
    log = StepLog(sys.stdout, options.steps, place.world_size) if place.rank == 0 else None
    try:
        Trainer(ring, loader, Model(options.step_ms / 1000), log).fit(options.steps)
    finally:
        ring.close()
        loader.close()


if __name__ == "__main__":
    main()
