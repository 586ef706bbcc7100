"""The types that the reasoning hands over: who is accused, of what, how sure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rankscope.analysis.views import RankView
from rankscope.model.report import Confidence, Progress
from rankscope.model.text import Text

Cause = Literal[
    "stopped",
    "dead",
    "vanished",
    "missing",
    "silent_node",
    "no_dump",
    "uninterruptible",
    "gil",
    "waited_for",
    "working",
    "mismatch",
    "odd_collective",
    "absent",
    "ras_behind",
    "ras_lost",
]


@dataclass(frozen=True)
class Accusation:
    """One suspect before it is put into words; view is None for a rank that was never seen."""

    rank: int
    node: str
    cause: Cause
    score: float
    view: RankView | None = None
    order: Literal["ahead", "behind", ""] = ""


@dataclass(frozen=True)
class Findings:
    """The outcome of the reasoning; waiting are the ranks that wait for the accused.

    ras holds what NCCL's RAS says against a rank.
    """

    pattern: str
    progress: Progress
    confidence: Confidence
    accused: tuple[Accusation, ...] = ()
    waiting: tuple[RankView, ...] = ()
    working: tuple[RankView, ...] = field(default=())
    ras: Mapping[int, Text] = field(default_factory=dict)


def confidence_of(score: float) -> Confidence:
    """Return the word for a score: high from 0.8, medium from 0.5 (docs/patterns.md)."""
    if score >= 0.8:
        return "high"
    return "medium" if score >= 0.5 else "low"
