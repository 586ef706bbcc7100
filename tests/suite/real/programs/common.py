"""What all programs of these jobs share: their options, their marks, and how they join."""

import argparse
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist

RANK = int(os.environ["RANK"])
WORLD = int(os.environ["WORLD_SIZE"])


def options() -> argparse.Namespace:
    """Return the options; trouble is what happens to this rank, empty for most."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=1 << 30)
    parser.add_argument("--tensor-parallel-size", type=int, default=1)
    given = parser.parse_args()
    given.trouble = os.environ["TROUBLE"]
    return given


def mark(folder: Path, what: str) -> None:
    """Tell the one that takes captures how far this rank is."""
    (folder / f"{what}-{RANK}").touch()


def join(given: argparse.Namespace) -> None:
    """Join the process group, unless this rank's trouble begins earlier."""
    torch.set_num_threads(1)
    if given.trouble == "late":
        mark(given.folder, "stuck")
        read_vocabulary(given.folder)
    if given.trouble == "dies":
        mark(given.folder, "stuck")
        time.sleep(3600)
    mark(given.folder, "joining")
    dist.init_process_group("gloo")


def read_vocabulary(folder: Path) -> bytes:
    return (folder / "part-0003").read_bytes()
