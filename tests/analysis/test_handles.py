"""Waits for a communication's handle leave the frame of the function that waits, and no other."""

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Capture, Role
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice

# Names that tell nothing: `work.wait()` below them is C++.
DRAIN = At((*b.stack("Bucket.drain ~/bucket.py:44"), *b.LOOP))
SWAP = At((*b.stack("Pipe.swap ~/pipe.py:66"), *b.LOOP))
LAYER = At(
    (
        *b.stack("FusedNorm.call_kernel ~/norm.py:15"),
        *b.stack("Module._call_impl $/torch/nn/modules/module.py:1789"),
        *b.LOOP,
    )
)
LOSS = At(
    (
        *b.stack("FusedLoss.backward ~/loss.py:120"),
        *b.stack("BackwardCFunction.apply $/torch/autograd/function.py:311"),
        *b.BACKWARD,
    )
)
WAITS = At(b.ALL_REDUCE)
STOPPED = At(None, state="T", wchan="do_signal_stop")
GONE = At(None, state="Z", role=Role.DEAD)


def suspects(capture: Capture) -> list[int]:
    return sorted(suspect.rank for suspect in analyse(capture).suspects)


@pytest.mark.parametrize("guilty", [STOPPED, GONE, LAYER, LOSS, piped(b.READ), running(b.FORWARD)])
def test_those_at_one_handle_wait_for_the_one_elsewhere(guilty: At) -> None:
    assert suspects(job(*[others(8, DRAIN, r5=guilty)] * 2)) == [5]


@pytest.mark.parametrize("guilty", [STOPPED, LAYER, LOSS, piped(b.READ), running(b.FORWARD)])
def test_pipeline_neighbours_at_a_handle_are_not_named(guilty: At) -> None:
    stages = others(8, WAITS, r0=SWAP, r2=guilty, r4=At(b.RECV), r6=At(b.RECV))

    assert suspects(twice(stages)) == [2]


def test_a_missing_process_is_named_beside_those_at_a_handle() -> None:
    stages = others(8, DRAIN)
    del stages[3]

    assert suspects(job(stages, stages, world=8)) == [3]


def test_one_rank_alone_at_such_a_place_is_named() -> None:
    # Nobody else is to blame: it may hold a lock.
    assert suspects(twice(others(8, WAITS, r4=DRAIN))) == [4]


def test_ranks_that_left_the_handle_between_the_samples_prove_that_the_job_moves() -> None:
    before = others(8, DRAIN)
    after = {rank: DRAIN if rank < 3 else WAITS for rank in range(8)}
    report = analyse(job(before, after))

    assert not report.suspects
    assert report.verdict.progress == "moving"


def test_those_that_surely_wait_are_not_named_when_most_are_at_an_unknown_place() -> None:
    assert suspects(twice(others(8, LAYER, r6=WAITS, r7=WAITS))) == []
