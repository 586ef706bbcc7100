import io
from pathlib import Path

import pytest

from sandbox.cluster.corpus import SHARDS, load_shard, shard_path, write_corpus
from sandbox.cluster.data import Batch, pack_sequences
from sandbox.cluster.elastic import Failed, write_ending
from sandbox.cluster.faults import Fault, inject
from sandbox.cluster.memory import GIB, RESIDENT, TOTAL, OutOfMemoryError, allocate
from sandbox.cluster.model import Model
from sandbox.cluster.trainer import print_failure


def test_what_fits_is_given() -> None:
    allocate(TOTAL - RESIDENT)


def test_what_does_not_fit_is_refused_in_pytorchs_words() -> None:
    with pytest.raises(OutOfMemoryError, match=r"^CUDA out of memory. Tried to allocate 36.00 GiB"):
        allocate(36 * GIB)


def test_a_document_that_is_far_too_long_fits_on_no_gpu(tmp_path: Path) -> None:
    write_corpus(tmp_path, 1)
    usual = pack_sequences(load_shard(shard_path(tmp_path, 0, 0).read_text()))
    Model(0.0).forward(usual)

    inject(Fault.OOM, tmp_path, 0, pid=0)

    for number in range(SHARDS):
        shard = load_shard(shard_path(tmp_path, 0, number).read_text())
        assert len(shard.heads) == 1
        batch = Batch(usual.tokens, usual.pairs, 32 * len(shard.parts))
        with pytest.raises(OutOfMemoryError):
            Model(0.0).forward(batch)


def test_a_failure_is_printed_with_its_rank(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        allocate(TOTAL)
    except OutOfMemoryError as error:
        print_failure(5, type(error), error, error.__traceback__)

    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("[rank5]: ") for line in lines)
    assert "OutOfMemoryError: CUDA out of memory" in lines[-1]


def test_the_launchers_words_blame_the_first_rank() -> None:
    log = io.BytesIO()
    write_ending(log, Failed(rank=5, local_rank=1, node="node-b", pid=42, code=1), [43, 44])

    text = log.getvalue().decode()
    assert text.count("closing signal SIGTERM") == 2
    assert "failed (exitcode: 1) local_rank: 1 (pid: 42)" in text
    assert "rank      : 5 (local_rank: 1)" in text
    assert "ChildFailedError" in text
