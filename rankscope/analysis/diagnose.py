"""From a scene to findings: hard evidence, then waiting, then mismatch, else nobody."""

from dataclasses import replace

from rankscope.analysis.findings import Accusation, Findings, confidence_of
from rankscope.analysis.hard import hard_evidence, undumped
from rankscope.analysis.inner import inner_of
from rankscope.analysis.mismatch import mismatched, odd_collective
from rankscope.analysis.nobody import pattern_of_nobody
from rankscope.analysis.scene import Scene
from rankscope.analysis.sides import Sides, sides_of
from rankscope.analysis.waiting import waited_for
from rankscope.model.capture import Trigger
from rankscope.model.report import Progress

SURE_OF_SLOW = 0.6
"""In a slow job everybody is somewhere all the time, so that what held a rank up in two moments may
have held up another one a second later; only what ended or stopped a process is sure."""
CHANCE_OF_SLOW = 0.42
"""Ranks in another operation than most are usual in a job whose steps end."""
_LASTING = frozenset({"stopped", "dead", "vanished"})
_OTHER_OPERATION = frozenset({"mismatch", "odd_collective", "absent"})


def diagnose(scene: Scene) -> Findings:
    """Return who the others wait for, or what it looks like when nobody can be named."""
    sides = sides_of(scene)
    accused = [_weighed(accusation, scene) for accusation in _accused(sides)]
    progress = _progress(sides, accused)
    if not accused:
        pattern, confidence = pattern_of_nobody(sides, progress)
        return Findings(pattern, progress, confidence, (), sides.waiting, sides.free)
    ordered = sorted(accused, key=lambda a: (-a.score, a.rank))
    named = {accusation.rank for accusation in ordered}
    waiting = tuple(view for view in sides.waiting if view.rank not in named)
    confidence = confidence_of(ordered[0].score)
    return Findings(_pattern(ordered[0], scene), progress, confidence, tuple(ordered), waiting)


def _weighed(accusation: Accusation, scene: Scene) -> Accusation:
    """Return an accusation as sure as it can be by the reason of the capture."""
    is_slow = scene.capture.header.trigger is Trigger.SLOW
    if not is_slow or accusation.cause in _LASTING:
        return accusation
    most = CHANCE_OF_SLOW if accusation.cause in _OTHER_OPERATION else SURE_OF_SLOW
    return replace(accusation, score=min(accusation.score, most))


def _accused(sides: Sides) -> list[Accusation]:
    hard = hard_evidence(sides)
    named = {accusation.rank for accusation in hard}
    free = [accusation for accusation in waited_for(sides) if accusation.rank not in named]
    if hard:
        # Ranks that compute may be victims; blocked ones are causes of their own.
        sure = sides.movement.is_known
        return [*hard, *(a for a in free if sure and a.cause == "waited_for")]
    odd = odd_collective(sides)
    if odd and all(accusation.score < odd[0].score for accusation in free):
        return odd
    return free or undumped(sides) or mismatched(sides)


def _progress(sides: Sides, accused: list[Accusation]) -> Progress:
    named = {accusation.rank for accusation in accused}
    others = any(
        persistence == "moved" or (persistence == "same_phase" and rank not in named)
        for rank, persistence in sides.persistence.items()
    )
    progress = sides.movement.progress(others_moved=others)
    # Steps end in a slow job: that two samples are alike does not make it stand still.
    is_slow = sides.scene.capture.header.trigger is Trigger.SLOW
    return "unknown" if is_slow and progress == "frozen" else progress


def _pattern(first: Accusation, scene: Scene) -> str:
    if first.cause == "waited_for" and first.view:
        inner = inner_of(first.view, scene.reader)
        return "data" if inner and inner.kind == "workers" else first.view.last.family
    return first.cause
