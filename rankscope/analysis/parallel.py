"""The parallel groups of a job, where its arguments or its ranks' places tell them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import pairwise

from rankscope.analysis.scene import Scene
from rankscope.analysis.views import RankView
from rankscope.analysis.words import ranks_text, tell
from rankscope.model.capture import Process
from rankscope.model.text import Text

# The names of Megatron, DeepSpeed, NeMo, vLLM, SGLang and torchtitan for the sizes of their groups.
_TP = re.compile(
    r"^-{0,2}(?:[\w.]*\.)?(?:tp|tp[-_]size|tensor[-_](?:model[-_])?parallel[-_](?:size|degree))$"
)
_PP = re.compile(
    r"^-{0,2}(?:[\w.]*\.)?(?:pp|pp[-_]size|pipeline[-_](?:model[-_])?parallel[-_](?:size|degree))$"
)
_LARGEST = 64
_INFERRED = (2, 4, 8)
"""Tensor-parallel groups stay within a node, so these sizes are the usual ones."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of the groups; ranks are numbered tensor first, then data, then pipeline.

    That is the default order of Megatron-Core (`tp-cp-ep-dp-pp`) and of those who follow it.
    """

    tp: int = 1
    pp: int = 1

    def tp_group(self, rank: int) -> int:
        """Return the number of a rank's tensor-parallel group."""
        return rank // self.tp


def layout_of(scene: Scene) -> Layout:
    """Return the sizes that the trainers' arguments or variables give; 1 where they give none."""
    for cast in scene.casts[-1:]:
        for rank in nsmallest(4, cast.trainers):
            sizes = _sizes(cast.trainers[rank].process)
            if sizes != Layout():
                return sizes
    return Layout()


def group_text(ranks: frozenset[int], scene: Scene) -> Text:
    """Return the ranks in words: as a parallel group or a node when they are exactly that."""
    layout, named = layout_of(scene), ranks_text(ranks)
    nodes = sorted({view.node for view in scene.views if view.rank in ranks})
    where = ", ".join(nodes[:4])
    groups = {layout.tp_group(rank) for rank in ranks}
    if layout.tp > 1 and len(groups) == 1 and len(ranks) == layout.tp:
        return tell("analysis-group-tp", number=groups.pop(), ranks=named, nodes=where)
    world = scene.expected or len(scene.views)
    stage = world // layout.pp
    stages = {rank // stage for rank in ranks} if layout.pp > 1 and stage else set()
    if len(stages) == 1 and len(ranks) == stage > 1:
        return tell("analysis-group-pp", number=stages.pop(), ranks=named, nodes=where)
    of_node = {view.rank for view in scene.views if nodes == [view.node]}
    if len(ranks) > 1 and of_node == ranks and len(of_node) < len(scene.views):
        return tell("analysis-group-node", ranks=named, nodes=where)
    return named


def _sizes(process: Process) -> Layout:
    named = dict(_arguments(process.cmdline)) | {k.lower(): v for k, v in process.env.items()}
    return Layout(_size(named, _TP), _size(named, _PP))


def _arguments(cmdline: Sequence[str]) -> Iterable[tuple[str, str]]:
    for argument, following in pairwise((*cmdline, "")):
        name, equals, value = argument.partition("=")
        yield name, value if equals else following


def _size(named: Mapping[str, str], pattern: re.Pattern[str]) -> int:
    for name, value in named.items():
        if pattern.match(name) and value.isdecimal() and 1 < int(value) <= _LARGEST:
            return int(value)
    return 1


def inferred_tp(inside: Iterable[int], ranks: frozenset[int]) -> int:
    """Return the smallest usual size at which every group with ranks inside has one outside.

    inside are the ranks that wait in a tensor-parallel operation; 1 when no size fits.
    """
    waiting = frozenset(inside)
    if any(_is_whole(waiting, size) for size in _INFERRED):
        return 1  # Whole groups that hang inside themselves look the same.
    for size in _INFERRED:
        groups = {rank // size for rank in waiting}
        members = [set(range(g * size, g * size + size)) for g in groups]
        if all(m <= ranks and m - waiting for m in members):
            return size
    return 1


def _is_whole(ranks: frozenset[int], size: int) -> bool:
    groups = {rank // size for rank in ranks}
    return bool(ranks) and len(ranks) == len(groups) * size


def absent_partners(
    inside: Sequence[RankView], views: Sequence[RankView], layout: Layout
) -> tuple[list[RankView], bool]:
    """Return the ranks that tensor-parallel partners wait for in vain, and whether it is known.

    Without a size in the job's arguments, neighbours are taken for partners.
    """
    by_rank = {view.rank: view for view in views}
    waiting = {view.rank for view in inside}
    size = layout.tp if layout.tp > 1 else inferred_tp(waiting, frozenset(by_rank))
    groups = {rank // size for rank in waiting} if size > 1 else set()
    absent = [v for v in views if v.rank // size in groups and v.rank not in waiting]
    return absent, layout.tp > 1
