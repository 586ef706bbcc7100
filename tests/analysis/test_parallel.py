"""Parallel groups from arguments, and how they are named."""

import pytest

from rankscope.analysis import analyse
from rankscope.analysis.parallel import inferred_tp, layout_of
from rankscope.analysis.rules import default_rules
from rankscope.analysis.scene import scene_of
from rankscope.analysis.stacks import StackReader
from rankscope.model.capture import Capture, Process
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped
from tests.changing import replace


def with_arguments(capture: Capture, *arguments: str) -> Capture:
    def change(process: Process) -> Process:
        return replace(process, cmdline=("python", "main.py", *arguments))

    samples = tuple(
        replace(s, processes=tuple(change(p) for p in s.processes)) for s in capture.samples
    )
    return replace(capture, samples=samples)


@pytest.mark.parametrize(
    ("arguments", "sizes"),
    [
        ((), (1, 1)),
        (("--tensor-model-parallel-size", "4", "--pipeline-model-parallel-size=2"), (4, 2)),
        (("model.tensor_model_parallel_size=8",), (8, 1)),
        (("--tp-size", "two", "--pp", "999"), (1, 1)),
        (("--tp",), (1, 1)),
    ],
)
def test_sizes_come_from_arguments(arguments: tuple[str, ...], sizes: tuple[int, int]) -> None:
    scene = scene_of(
        with_arguments(job(others(8, At(b.ALL_REDUCE))), *arguments), StackReader(default_rules())
    )

    assert (layout_of(scene).tp, layout_of(scene).pp) == sizes


@pytest.mark.parametrize(
    ("inside", "size"),
    [({5}, 2), ({12, 13, 15}, 4), ({4, 5}, 1), ({4, 5, 6}, 4), (set(range(16)), 1)],
)
def test_the_smallest_size_that_leaves_a_partner_outside(inside: set[int], size: int) -> None:
    """A whole pair may be a group that hangs inside itself: then nobody outside is to blame."""
    assert inferred_tp(inside, frozenset(range(16))) == size


def test_suspects_that_are_a_group_are_called_so() -> None:
    stuck = others(16, At(b.ALL_REDUCE)) | {r: piped(b.READ) for r in (6, 7)}
    capture = with_arguments(job(stuck, stuck), "--tensor-model-parallel-size=2")

    text = analyse(capture).verdict.text

    assert text.en.startswith("TP group 3 on node node-0 (ranks 6-7)")
    assert text.zh.startswith("节点 node-0 上的 TP 组 3（rank 6-7）")


def test_suspects_that_are_a_node_are_called_so() -> None:
    stuck = others(32, At(b.ALL_REDUCE)) | {r: piped(b.READ) for r in range(8, 16)}

    assert "all of node node-1" in analyse(job(stuck, stuck)).verdict.text.en
