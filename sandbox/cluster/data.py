"""Loading data: one worker process per rank reads shards ahead, the trainer packs them."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.cluster.corpus import DOCUMENTS, PARTS, TOKENS_PER_PART, Shard, load_shard, shard_path
from sandbox.cluster.lifeline import die_with_parent, name_this_thread

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

PREFETCH = 1
CONTEXT = max(DOCUMENTS) * PARTS * TOKENS_PER_PART
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Batch:
    """What one step trains on; pairs counts the tokens that each token may look at.

    longest is the length of the longest document.
    """

    tokens: list[int]
    pairs: int
    longest: int = 0


def read_shard(path: Path) -> Shard:
    """Read one shard from shared storage."""
    with path.open(encoding="utf-8") as stream:
        return load_shard(stream.read())


def document_length(shard: Shard, head: int) -> int:
    """Follow a document through its parts and count its tokens."""
    length, part = 0, head
    while True:
        length += len(shard.parts[part].tokens)
        following = shard.parts[part].following
        if following is None:
            return length
        part = following


def pack_sequences(shard: Shard) -> Batch:
    """Put a shard's documents, longest first, one behind the other, and cut what is too long."""
    lengths: dict[int, int] = {}
    for head in shard.heads:
        lengths[head] = document_length(shard, head)
    tokens: list[int] = []
    for head in sorted(lengths, key=lengths.__getitem__, reverse=True):
        part: int | None = head
        while part is not None:
            tokens += shard.parts[part].tokens
            part = shard.parts[part].following
    return Batch(tokens[:CONTEXT], attention_pairs(lengths.values()), max(lengths.values()))


def attention_pairs(lengths: Iterable[int]) -> int:
    """Count the pairs of an attention mask: each token sees itself and those before it."""
    pairs = 0
    for length in lengths:
        for token in range(length):
            for seen in range(length):
                if seen <= token:
                    pairs += 1
    return pairs


class ShardLoader:
    """Reads a rank's shards, over and over, in a process of its own."""

    def __init__(self, folder: Path, rank: int) -> None:
        self._shards: Queue[Shard] = _FORK.Queue(PREFETCH)
        self._worker = _FORK.Process(
            target=_worker_loop,
            args=(folder, rank, self._shards, os.getpid()),
            name=f"dataloader-rank{rank}",
            daemon=True,
        )
        self._worker.start()

    def next_batch(self) -> Batch:
        """Wait for the next shard and pack it."""
        return pack_sequences(self._shards.get())

    def close(self) -> None:
        """Stop the worker."""
        self._worker.terminate()
        self._worker.join()


def _worker_loop(folder: Path, rank: int, shards: "Queue[Shard]", parent: int) -> None:
    die_with_parent(parent)
    name_this_thread("pt_data_worker")  # the name PyTorch gives its own
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    number = 0
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            shards.put(read_shard(shard_path(folder, rank, number)))
            number += 1
