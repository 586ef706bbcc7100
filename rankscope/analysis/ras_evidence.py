"""Where stacks cannot tell who is waited for, NCCL's RAS may; it never overrules a stack.

All ranks stand in a collective, or in different ones, and nobody can be named. RAS knows which rank
has launched fewer collectives than the others, and which process does not answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankscope.analysis.findings import Accusation, Cause, Findings, confidence_of
from rankscope.analysis.scene import Scene
from rankscope.nccl.evidence import Blame, Blamed

SCORES: dict[Blame, float] = {"dead": 0.7, "behind": 0.65, "silent": 0.55}
"""Medium: launches are not completions, and a process may be unreachable for RAS alone."""
_CAUSES: Mapping[Blame, Cause] = {"dead": "ras_lost", "silent": "ras_lost", "behind": "ras_behind"}
_UNSURE = frozenset({"mismatch", "odd_collective", "absent"})
"""Causes that say only that ranks differ, not who of them is wrong."""


def weigh_ras(findings: Findings, scene: Scene, blamed: Sequence[Blamed]) -> Findings:
    """Return the findings with RAS's reasons, and with its suspects where stacks name none.

    RAS names nobody of a job that moves, and not more than a third of the ranks.
    """
    reasons = {one.rank: one.text for one in blamed}
    explained = replace(findings, ras=reasons)
    is_open = all(accusation.cause in _UNSURE for accusation in findings.accused)
    size = scene.expected or len(scene.views)
    if not blamed or not is_open or findings.progress == "moving" or 3 * len(blamed) > size:
        return explained
    accused = [_accusation(one, scene) for one in blamed]
    accused.sort(key=lambda accusation: (-accusation.score, accusation.rank))
    waiting = tuple(v for v in scene.views if v.rank not in reasons and v.waits)
    return replace(
        explained,
        pattern=accused[0].cause,
        confidence=confidence_of(accused[0].score),
        accused=tuple(accused),
        waiting=waiting,
        working=(),
    )


def _accusation(one: Blamed, scene: Scene) -> Accusation:
    view = next((view for view in scene.views if view.rank == one.rank), None)
    lives = view is not None and not view.last.is_unreachable
    # A process whose stack was read is not dead, whatever RAS believes.
    why: Blame = "silent" if one.why == "dead" and lives else one.why
    node = view.node if view else one.node
    return Accusation(one.rank, node, _CAUSES[why], SCORES[why], view)
