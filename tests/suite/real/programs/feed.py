"""Where batches come from, and the ways in which they may not come."""

import ctypes
import fcntl
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch.utils.data import DataLoader, Dataset


class Shards:
    """Reads batches from files; `trouble` is what happens to this rank at the third one."""

    def __init__(self, folder: Path, trouble: str, mark: Callable[[], None]) -> None:
        self.folder = folder
        self.trouble = trouble
        self.mark = mark
        self.served = 0

    def take(self) -> torch.Tensor:
        """Return the next batch."""
        self.served += 1
        if self.served == 3 and self.trouble in WAYS:
            self.mark()
            WAYS[self.trouble](self)
        return torch.full((64,), float(self.served))

    def read_part(self) -> bytes:
        return (self.folder / "part-0003").read_bytes()

    def fetch_part(self) -> bytes:
        with socket.create_server(("127.0.0.1", 0)) as mute:
            link = socket.create_connection(mute.getsockname())
            link.sendall(b"GET /part-0003 HTTP/1.1\r\n\r\n")
            return link.recv(1 << 16)

    def unpack_part(self) -> None:
        subprocess.run(["sleep", "3600"], check=True)

    def claim_part(self) -> None:
        with (self.folder / "claim").open("w") as claim:
            fcntl.flock(claim, fcntl.LOCK_EX)

    def rest(self) -> None:
        time.sleep(3600)

    def clean(self) -> None:
        count = 0
        while True:
            count = (count * 31 + 7) % 1_000_003

    def take_from_queue(self) -> bytes:
        ready: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self.fill, args=(ready,), name="filler", daemon=True).start()
        return ready.get()

    def fill(self, ready: queue.Queue[bytes]) -> None:
        ready.put(self.read_part())

    def exchange(self) -> None:
        first, second = threading.Lock(), threading.Lock()
        other = threading.Thread(target=self.hold_second, args=(first, second), daemon=True)
        with first:
            other.start()
            time.sleep(0.5)
            with second:
                return

    def hold_second(self, first: threading.Lock, second: threading.Lock) -> None:
        with second, first:
            return

    def map_part(self) -> None:
        """Fall into state D: the kernel keeps a parent so until vfork's child ends."""
        if ctypes.CDLL(None).vfork() == 0:
            time.sleep(3600)

    def count_in_background(self) -> None:
        threading.Thread(target=self.count, name="counter", daemon=True).start()

    def count(self) -> None:
        ctypes.PyDLL(None).sleep(3600)

    def look_closer(self) -> None:
        breakpoint()  # noqa: T100


WAYS: dict[str, Callable[[Shards], object]] = {
    "fifo": Shards.read_part,
    "socket": Shards.fetch_part,
    "child": Shards.unpack_part,
    "flock": Shards.claim_part,
    "sleep": Shards.rest,
    "spin": Shards.clean,
    "filler": Shards.take_from_queue,
    "locks": Shards.exchange,
    "d": Shards.map_part,
    "gil": Shards.count_in_background,
    "breakpoint": Shards.look_closer,
}


class Samples(Dataset[torch.Tensor]):
    """Samples that the DataLoader's workers read; one of them may lie on a dead mount."""

    def __init__(self, folder: Path, trouble: str, pause_s: float = 0.01) -> None:
        self.folder = folder
        self.trouble = trouble
        self.pause_s = pause_s

    def __len__(self) -> int:
        return 1 << 20

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.trouble == "workers" and index > 40:
            return self.decode(index)
        time.sleep(self.pause_s)
        return torch.full((64,), float(index))

    def decode(self, index: int) -> torch.Tensor:
        content = (self.folder / "part-0003").read_bytes()
        return torch.full((64,), float(len(content) + index))


def loaded(samples: Samples, workers: int = 2) -> Iterator[torch.Tensor]:
    """Return batches of a real DataLoader."""
    return iter(DataLoader(samples, batch_size=4, num_workers=workers))
