"""The first suspect beside a rank that looks normal: no rank is judged alone."""

from itertools import takewhile

from rankscope.analysis.findings import Findings
from rankscope.analysis.names import call_site
from rankscope.analysis.scene import Scene
from rankscope.analysis.views import RankView
from rankscope.analysis.words import largest_group
from rankscope.model.report import Side, SideBySide


def side_by_side(findings: Findings, scene: Scene) -> SideBySide | None:
    """Return the first suspect that has a stack beside a control rank; None when there is none.

    The control rank is one of those that wait at the same place as most, on the suspect's node
    where one is there.
    """
    suspect = next((a.view for a in findings.accused if a.view and a.view.stack), None)
    if suspect is None:
        return None
    control = _control(suspect, findings, scene)
    if control is None:
        return None
    one, other = _side(suspect), _side(control)
    pairs = zip(one.frames, other.frames, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return SideBySide(one, other, shared)


def _control(suspect: RankView, findings: Findings, scene: Scene) -> RankView | None:
    named = {accusation.rank for accusation in findings.accused}
    normal = [v for v in findings.waiting if v.stack and v.rank not in named]
    others = normal or [v for v in scene.views if v.stack and v.rank not in named]
    group = largest_group(others)
    near = [view for view in group if view.node == suspect.node]
    return min(near or group, key=lambda view: abs(view.rank - suspect.rank), default=None)


def _side(view: RankView) -> Side:
    frames = view.stack.frames if view.stack else ()
    return Side(view.rank, view.node, tuple(call_site(frame) for frame in reversed(frames)))
