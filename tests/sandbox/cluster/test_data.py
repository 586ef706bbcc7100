import os
from pathlib import Path

import pytest

from sandbox.cluster.corpus import (
    DOCUMENTS,
    SHARDS,
    TOKENS_PER_SHARD,
    Part,
    Shard,
    make_shard,
    shard_path,
    write_corpus,
    write_shard,
)
from sandbox.cluster.data import CONTEXT, ShardLoader, document_length, pack_sequences, read_shard
from sandbox.cluster.faults import Fault, inject

TWO_DOCUMENTS = Shard([Part([1], None), Part([2, 3], 2), Part([4], None)], [0, 1])


def test_a_document_is_as_long_as_its_parts() -> None:
    assert [document_length(TWO_DOCUMENTS, head) for head in TWO_DOCUMENTS.heads] == [1, 3]


def test_documents_are_packed_longest_first() -> None:
    batch = pack_sequences(TWO_DOCUMENTS)

    assert batch.tokens == [2, 3, 4, 1]
    assert batch.pairs == 1 + (1 + 2 + 3)


def test_a_shard_is_read_as_it_was_written(tmp_path: Path) -> None:
    shard = make_shard(3, 1)

    write_shard(tmp_path / "a.json", shard)

    assert read_shard(tmp_path / "a.json") == shard


def test_the_corpus_has_shards_of_one_size_for_every_rank(tmp_path: Path) -> None:
    write_corpus(tmp_path, 2)

    shards = [read_shard(shard_path(tmp_path, rank, n)) for rank in (0, 1) for n in range(SHARDS)]

    assert [len(shard.heads) for shard in shards] == [*DOCUMENTS, *DOCUMENTS]
    tokens = [len(pack_sequences(shard).tokens) for shard in shards]
    assert sum(tokens) == len(tokens) * TOKENS_PER_SHARD
    assert len({tuple(shard.parts[0].tokens) for shard in shards}) == len(shards)


def test_the_loader_reads_the_shards_over_and_over(tmp_path: Path) -> None:
    write_corpus(tmp_path, 1)
    loader = ShardLoader(tmp_path, 0)

    batches = [loader.next_batch() for _ in range(SHARDS + 1)]

    loader.close()
    assert batches[0] == batches[SHARDS]
    assert batches[0] != batches[1]


def test_fifo_replaces_all_shards_of_one_rank(tmp_path: Path) -> None:
    write_corpus(tmp_path, 2)

    inject(Fault.FIFO, tmp_path, 1, os.getpid())

    assert all(shard_path(tmp_path, 1, number).is_fifo() for number in range(SHARDS))
    assert not any(shard_path(tmp_path, 0, number).is_fifo() for number in range(SHARDS))


def test_spin_makes_a_document_whose_parts_form_a_ring(tmp_path: Path) -> None:
    write_corpus(tmp_path, 1)

    inject(Fault.SPIN, tmp_path, 0, os.getpid())

    parts = read_shard(shard_path(tmp_path, 0, 0)).parts
    assert (parts[0].following, parts[1].following) == (1, 0)


def test_slow_makes_documents_16_times_as_long_and_batches_no_longer_than_the_context(
    tmp_path: Path,
) -> None:
    write_corpus(tmp_path, 1)

    inject(Fault.SLOW, tmp_path, 0, os.getpid())

    shard = read_shard(shard_path(tmp_path, 0, 0))
    assert document_length(shard, 0) == 16 * document_length(make_shard(0, 0), 0)
    assert len(pack_sequences(shard).tokens) == CONTEXT


@pytest.mark.parametrize("fault", [Fault.NONE])
def test_without_a_fault_nothing_changes(tmp_path: Path, fault: Fault) -> None:
    write_corpus(tmp_path, 1)

    inject(fault, tmp_path, 0, os.getpid())

    assert read_shard(shard_path(tmp_path, 0, 0)) == make_shard(0, 0)
