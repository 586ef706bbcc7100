"""Cautions and next steps: what a reader must not conclude, and what to look at now."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankscope.analysis.findings import Accusation, Findings
from rankscope.analysis.scene import Scene, moment_of
from rankscope.analysis.words import ranks_text, seconds_text, tell
from rankscope.model.capture import Role
from rankscope.model.report import MissingRank
from rankscope.model.text import Text

if TYPE_CHECKING:
    from datetime import datetime

SPREAD_SECONDS = 2.0
"""Nodes sampled further apart than this are worth a caution; agents aim at one moment."""

_FIRST_AID: dict[str, tuple[str, ...]] = {
    "data": ("p2", "workers", "storage"),
    "storage": ("p2", "storage"),
    "network": ("p2", "network"),
    "lock_queue": ("p2", "native"),
    "build_lock": ("lock",),
    "compile": ("p1",),
    "debugger": ("debugger",),
    "shutdown": ("steps",),
    "user": ("p2", "native"),
    "working": ("p2", "native"),
    "backward": ("native",),
    "stopped": ("process",),
    "dead": ("process",),
    "vanished": ("process",),
    "missing": ("process", "start"),
    "silent_node": ("nodes",),
    "no_dump": ("process", "storage"),
    "uninterruptible": ("storage",),
    "gil": ("thread", "native"),
    "mismatch": ("steps",),
    "odd_collective": ("steps",),
    "absent": ("steps",),
    "ras_behind": ("native", "steps"),
    "ras_lost": ("process", "p3"),
    "all_in_communication": ("p3",),
    "mixed_waiting": ("p3", "steps"),
    "all_in_program": ("p1",),
    "aside": ("p1",),
    "all_in_storage": ("p1", "storage"),
    "all_in_data": ("p1", "storage"),
    "all_in_compile": ("p1",),
    "all_in_build_lock": ("lock",),
    "all_in_start_up": ("start",),
    "start_up": ("start",),
    "all_waiting": ("p4",),
    "all_in_serving_idle": ("p4",),
    "idle_helpers": ("p4", "p5"),
    "working_nobody": ("p1",),
    "all_in_debugger": ("debugger",),
}
_ALIKE = "all_"
_DIFFERS = frozenset({"mismatch", "odd_collective", "absent"})


def next_steps(findings: Findings, scene: Scene) -> tuple[Text, ...]:
    """Return what to look at now, by the patterns P1 to P5 of the platform's guide and our own."""
    ids: list[str] = []
    for pattern in _patterns(findings):
        ids += [step for step in _FIRST_AID.get(pattern, ()) if step not in ids]
    if findings.accused:
        ids.append("log")
    elif findings.pattern == "moving" and _has_compile_workers(scene):
        ids.append("p5")
    ids.append("again")
    facts = _facts(findings, scene)
    return tuple(tell(f"analysis-next-{step}", **facts) for step in ids)


def _patterns(findings: Findings) -> Iterator[str]:
    if not findings.accused:
        yield "working_nobody" if findings.pattern == "working" else findings.pattern
    for accusation in findings.accused:
        yield _pattern(accusation)


def _pattern(accusation: Accusation) -> str:
    if accusation.cause in {"waited_for", "working"} and accusation.view:
        family = accusation.view.last.family
        return family if family in _FIRST_AID else "user"
    return accusation.cause


def _facts(findings: Findings, scene: Scene) -> dict[str, object]:
    nodes = sorted({a.node for a in findings.accused if a.node})
    every = sorted({view.node for view in scene.views})
    return {
        "ranks": ranks_text(accusation.rank for accusation in findings.accused),
        "nodes": ", ".join((nodes or every)[:4]) or "-",
    }


def cautions(
    findings: Findings, scene: Scene, missing: tuple[MissingRank, ...]
) -> tuple[Text, ...]:
    """Return what must not be concluded; that it is a photo of a moment always comes first."""
    return tuple(_cautions(findings, scene, missing))


def _cautions(findings: Findings, scene: Scene, missing: tuple[MissingRank, ...]) -> Iterator[Text]:
    yield tell("analysis-caution-photo")
    yield tell("analysis-caution-waiting")
    if findings.pattern in _DIFFERS:
        yield tell("analysis-caution-differs")
    if findings.pattern.startswith(_ALIKE):
        yield tell("analysis-caution-alike")
    if scene.samples < 2:
        yield tell("analysis-caution-one-sample")
    if missing:
        yield tell("analysis-caution-partial", count=len(missing))
    spread = spread_seconds(scene)
    if spread > SPREAD_SECONDS:
        yield tell("analysis-caution-spread", seconds=seconds_text(spread))
    if _has_compile_workers(scene):
        yield tell("analysis-caution-helpers")
    unreadable = sum(not sample.node for sample in scene.capture.samples)
    if unreadable:
        yield tell("analysis-caution-unreadable", count=unreadable)
    yield tell("analysis-caution-count")


def _has_compile_workers(scene: Scene) -> bool:
    return any(
        process.role is Role.COMPILE
        for sample in scene.capture.samples
        for process in sample.processes
    )


def spread_seconds(scene: Scene) -> float:
    """Return how far apart the nodes of one sample were taken, at most, in seconds."""
    times: dict[int, list[datetime]] = {}
    for sample in scene.capture.samples:
        moment = moment_of(sample.taken_at)
        if moment:
            times.setdefault(sample.sample, []).append(moment)
    return max(((max(t) - min(t)).total_seconds() for t in times.values()), default=0.0)
