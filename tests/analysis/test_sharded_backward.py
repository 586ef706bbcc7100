"""Threads of the autograd engine that run Python tell more than the main thread behind them."""

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Frame, Task
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, twice
from tests.analysis.test_handles import suspects
from tests.changing import replace

FUNCTION = b.stack("BackwardCFunction.apply $/torch/autograd/function.py:307")
SHARDED = "$/torch/distributed/fsdp/_fully_shard"
REDUCE = f"foreach_reduce {SHARDED}/_fsdp_collectives.py:420"
REDUCES = (
    *b.collective(
        "reduce_scatter_tensor", f"foreach_reduce {SHARDED}/_fsdp_collectives.py:420", ()
    ),
    *b.stack(f"FSDPParamGroup.post_backward {SHARDED}/_fsdp_param_group.py:470"),
    *FUNCTION,
)
GATHERS = (
    *b.collective("all_gather_into_tensor", f"unshard {SHARDED}/_fsdp_param_group.py:330", ()),
    *b.stack(f"FSDPParamGroup.pre_backward {SHARDED}/_fsdp_param_group.py:440"),
)
KERNEL = (*b.stack("Norm.backward ~/kernels/norm.py:44"), *FUNCTION)
AUTOGRAD = 77


def backward(frames: tuple[Frame, ...], wchan: str = "futex_do_wait") -> At:
    """Return a trainer in backward whose engine runs Python in a thread of its own."""
    thread = replace(b.thread(None, ()), frames=frames, os_thread_id=AUTOGRAD, active=False)
    return At(b.BACKWARD, beside=(thread,), wchan=wchan)


def with_task(at: At, state: str, wchan: str) -> At:
    return replace(at, tasks=(Task(AUTOGRAD, "pt_autograd_0", state, wchan),))


def test_a_sharded_backward_that_goes_on_accuses_nobody() -> None:
    first = others(8, backward(REDUCES), r1=backward(GATHERS), r2=backward(KERNEL))
    second = others(8, backward(REDUCES), r0=backward(KERNEL), r1=backward(REDUCES))

    report = analyse(job(first, second))

    assert report.suspects == ()
    assert report.verdict.progress == "moving"


@pytest.mark.parametrize("wchan", ["anon_pipe_read", "io_schedule"])
def test_the_rank_whose_backward_is_held_up_is_named(wchan: str) -> None:
    held = with_task(backward(KERNEL), "S", wchan)

    report = analyse(twice(others(8, backward(REDUCES), r2=held)))

    assert [suspect.rank for suspect in report.suspects] == [2]
    assert "Norm.backward" in report.suspects[0].where


def test_the_rank_that_gathers_while_all_others_reduce_is_named() -> None:
    assert suspects(twice(others(8, backward(REDUCES), r5=backward(GATHERS)))) == [5]


def test_the_place_is_shown_as_called_by_the_main_thread() -> None:
    report = analyse(twice(others(8, backward(REDUCES))))

    (group,) = report.groups
    assert group.frames[0].startswith("reduce_scatter_tensor")
    assert group.frames[-1].startswith("<module>")
