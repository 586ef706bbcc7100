"""Judges one RAS answer, or two: what is seen, what it does not mean, what to do next.

Never `no hang`: RAS counts launches, not completions. Source of the rules: NVIDIA's RAS guide
(troubleshooting/ras.html), NVIDIA/nccl#1730, #1762, #1911, #2346.
"""

from dataclasses import dataclass

from rankscope.model.capture import Capture
from rankscope.model.report import Progress
from rankscope.model.text import Text
from rankscope.nccl import naming
from rankscope.nccl.culprits import Culprits, find_culprits
from rankscope.nccl.findings import Finding, Kind, findings, kinds
from rankscope.nccl.grammar import ONE_TOTAL
from rankscope.nccl.model import RasAnswer
from rankscope.nccl.places import Places, join
from rankscope.nccl.progress import Comparison, compare, in_order
from rankscope.nccl.unavailable import Circumstances, explain
from rankscope.nccl.versions import WALK_BUG, NcclVersion
from rankscope.text import say

WORST = 3
"""So many communicators a card shows."""
COUNTED = frozenset(
    {Kind.STALLED, Kind.LAGGING, Kind.MISMATCH, Kind.STILL_EVEN, Kind.MOVING, Kind.EVEN}
)
NOT_MEANT = frozenset(Kind) - {Kind.ERROR, Kind.UNAVAILABLE}


@dataclass(frozen=True, slots=True)
class RasVerdict:
    """The judgement of an answer; `line` is for a card, the rest for report and page.

    progress is `unknown` unless two answers could be compared.
    """

    kind: Kind
    progress: Progress
    line: Text
    seen: tuple[Text, ...]
    not_meant: tuple[Text, ...]
    next_steps: tuple[Text, ...]
    findings: tuple[Finding, ...] = ()
    culprits: Culprits = Culprits()
    comparison: Comparison | None = None

    @property
    def text(self) -> Text:
        """Return all of it as one paragraph."""
        return naming.sentences([*self.seen, *self.not_meant, *self.next_steps])

    @property
    def worst(self) -> tuple[Text, ...]:
        """Return the worst communicators, at most three."""
        return tuple(found.text for found in self.findings if found.comm)[:WORST]


@dataclass(frozen=True, slots=True)
class Context:
    """What is known besides the answer; seconds lie between it and an earlier one."""

    capture: Capture | None = None
    world_size: int | None = None
    seconds: float | None = None
    circumstances: Circumstances = Circumstances()


def judge(
    answer: RasAnswer, earlier: RasAnswer | None = None, context: Context | None = None
) -> RasVerdict:
    """Judge an answer; an earlier one of the same job shows whether anything moves.

    When both answers carry a time, the later one is judged, whatever the order given.
    """
    known = context or Context()
    before, now = in_order(earlier, answer) if earlier else (None, answer)
    if not (now.communicators or now.events or now.job) or (not now.reliable and now.reason):
        if now.format != "json" or now.reason:
            return _unavailable(now, known)
    if not now.reliable:
        return _unreliable(now)
    places = join(now, known.capture, known.world_size)
    comparison = compare(before, now, known.seconds) if before else None
    return _judged(now, places, comparison, known)
