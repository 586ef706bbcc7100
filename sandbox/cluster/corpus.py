"""The training data on disk: a few small shards per rank, written before the job starts.

A shard is JSON: parts of documents, each with its tokens and the number of the part that continues
it, and the parts that begin a document.
"""

import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path

SHARDS = 8
DOCUMENTS = (8, 6, 9, 7, 10, 6, 8, 10)
"""Documents by shard number, so that steps differ in length, and all ranks have like ones."""
TOKENS_PER_PART = 32
PARTS = 2
TOKENS_PER_SHARD = sum(DOCUMENTS) * PARTS * TOKENS_PER_PART // SHARDS
"""Tokens of the usual shard."""
VOCABULARY = 32000


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a document; following is the index of the next one, None at the end."""

    tokens: list[int]
    following: int | None


@dataclass(frozen=True, slots=True)
class Shard:
    """One file of the corpus; heads are the indices of the parts that begin a document."""

    parts: list[Part]
    heads: list[int]


def shard_path(folder: Path, rank: int, number: int) -> Path:
    """Return where a shard lies; numbers repeat after SHARDS."""
    return folder / f"rank{rank:03d}" / f"shard-{number % SHARDS:02d}.json"


def write_corpus(folder: Path, world_size: int) -> None:
    """Write the shards of all ranks."""
    for rank in range(world_size):
        for number in range(SHARDS):
            write_shard(shard_path(folder, rank, number), make_shard(rank, number))


def make_shard(rank: int, number: int, parts_per_document: int = PARTS) -> Shard:
    """Return a shard with as many documents as its number has."""
    chance = random.Random(f"{rank}/{number}")  # noqa: S311 - data, not secrets
    parts = []
    for index in range(DOCUMENTS[number] * parts_per_document):
        is_last = (index + 1) % parts_per_document == 0
        tokens = [chance.randrange(VOCABULARY) for _ in range(TOKENS_PER_PART)]
        parts.append(Part(tokens, None if is_last else index + 1))
    return Shard(parts, list(range(0, len(parts), parts_per_document)))


def write_shard(path: Path, shard: Shard) -> None:
    """Put a shard in its place at once, so that no reader sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(asdict(shard)), encoding="utf-8")
    fresh.replace(path)


def load_shard(text: str) -> Shard:
    """Read a shard's JSON."""
    raw = json.loads(text)
    return Shard([Part(**part) for part in raw["parts"]], raw["heads"])
