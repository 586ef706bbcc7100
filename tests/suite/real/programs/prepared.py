"""The first rank prepares the data while the others wait for it."""

import hashlib
import time
from argparse import Namespace

import torch.distributed as dist
from common import RANK, join, mark, options
from plain import Loop


def prepare(given: Namespace) -> None:
    """Let the first rank work first."""
    if RANK == 0:
        mark(given.folder, "stuck")
        index(given)
    dist.barrier()


def index(given: Namespace) -> None:
    total = b""
    for number in range(1 << 30):
        total = shingle(total, number)
    (given.folder / "index").write_bytes(total)


def shingle(total: bytes, number: int) -> bytes:
    for word in range(400):
        total = hashlib.sha256(total + bytes((word % 256, number % 256))).digest()
    return total


def wait_for_quota() -> None:
    time.sleep(3600)


def wait_for_key() -> None:
    store = dist.distributed_c10d._get_default_store()
    store.wait(["the-key"])


def main() -> None:
    given = options()
    join(given)
    mark(given.folder, "ready")
    if given.trouble == "quota":
        mark(given.folder, "stuck")
        wait_for_quota()
    if given.trouble == "key":
        mark(given.folder, "stuck")
        wait_for_key()
    prepare(given)
    Loop(given).run()


if __name__ == "__main__":
    main()
