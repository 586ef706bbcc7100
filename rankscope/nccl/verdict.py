"""Judges one RAS answer, or two: what is seen, what it does not mean, what to do next.

Never `no hang`: RAS counts launches, not completions. Source of the rules: NVIDIA's RAS guide
(troubleshooting/ras.html), NVIDIA/nccl#1730, #1762, #1911, #2346.
"""

from dataclasses import dataclass

from rankscope.model.capture import Capture, NcclOutcome
from rankscope.model.report import Progress
from rankscope.model.text import Text
from rankscope.nccl import naming
from rankscope.nccl.culprits import Culprits, find_culprits
from rankscope.nccl.findings import Finding, Kind, findings, kinds
from rankscope.nccl.grammar import ONE_TOTAL
from rankscope.nccl.model import Communicator, RasAnswer, Reason
from rankscope.nccl.places import Places, join
from rankscope.nccl.progress import Comparison, compare, in_order
from rankscope.nccl.unavailable import Circumstances, explain
from rankscope.nccl.versions import WALK_BUG, NcclVersion
from rankscope.text import say

WORST = 3
"""So many communicators a card shows."""
NO_CULPRITS = Culprits()
NOTHING_KNOWN = Circumstances()
NO_ANSWER = frozenset(
    {Reason.EMPTY, Reason.NO_REPORT, Reason.TOO_LARGE, Reason.OTHER_JOB, Reason.FOREIGN}
)
"""Reasons why there is nothing that could be unreliable."""
SIGNS = 5
"""So many signs of damage are told; one is enough."""
SHOWN = 12
"""So many findings a paragraph holds; the others are counted."""


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
    culprits: Culprits = NO_CULPRITS
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
    circumstances: Circumstances = NOTHING_KNOWN


def judge(
    answer: RasAnswer, earlier: RasAnswer | None = None, context: Context | None = None
) -> RasVerdict:
    """Judge an answer; an earlier one of the same job shows whether anything moves.

    When both answers carry a time, the later one is judged, whatever the order given.
    """
    known = context or Context()
    before, now = in_order(earlier, answer) if earlier else (None, answer)
    if now.outcome not in {NcclOutcome.ANSWERED, NcclOutcome.CUT}:
        return unavailable(now, known.circumstances)
    if not now.reliable:
        return _unreliable(now)
    comparison = compare(before, now, known.seconds) if before else None
    return _judged(now, comparison, known)


def unavailable(answer: RasAnswer, circumstances: Circumstances) -> RasVerdict:
    """Judge why there is no answer at all, which is seldom a sign of a communication failure."""
    why = explain(answer.reason, circumstances)
    return RasVerdict(
        kind=Kind.UNAVAILABLE,
        progress="unknown",
        line=why.line,
        seen=(why.line, *_retries(answer), *why.preconditions),
        not_meant=why.not_meant,
        next_steps=why.next_steps,
    )


def _unreliable(answer: RasAnswer) -> RasVerdict:
    version = NcclVersion.parse(answer.nccl_version or "")
    once_only = version is not None and version.is_within(*WALK_BUG)
    zeros = say("nccl-sign-zeros") in answer.problems
    passing = zeros or any(comm.status in {"NOCOMM", "FINALIZE"} for comm in answer.communicators)
    step = "nccl-next-unreliable-once" if once_only and answer.communicators else "nccl-next-again"
    no_answer = answer.reason in NO_ANSWER
    line = answer.problems[0] if no_answer else say("nccl-line-unreliable")
    return RasVerdict(
        kind=Kind.UNRELIABLE,
        progress="unknown",
        line=line,
        seen=(
            line,
            *answer.problems[no_answer:][:SIGNS],
            *((say("nccl-seen-passing"),) if passing else ()),
            *_retries(answer),
        ),
        not_meant=(say("nccl-not-unreliable"),),
        next_steps=(say(step, version=answer.nccl_version or ""),),
    )


def _judged(answer: RasAnswer, comparison: Comparison | None, known: Context) -> RasVerdict:
    places = join(answer, known.capture, known.world_size)
    found = findings(answer, places, comparison) or (Finding(Kind.EVEN, say("nccl-seen-even")),)
    stalled = [one.now for one in comparison.comms if one.stalled] if comparison else []
    culprits = find_culprits(stalled)
    named = _culprits(culprits, places) or _same_process(found, places)
    seen = (*named, *(finding.text for finding in found[:SHOWN]), *_more(found))
    head = named[0] if culprits.found and found[0].kind is Kind.STALLED else found[0].text
    shown = kinds(found)
    return RasVerdict(
        kind=found[0].kind,
        progress=comparison.progress if comparison else "unknown",
        line=head,
        seen=(*seen, *_notes(answer, comparison, known), *_retries(answer)),
        not_meant=(*(say(f"nccl-not-{kind}") for kind in shown[:2]), *_uncounted(answer)),
        next_steps=tuple(say(f"nccl-next-{kind}") for kind in shown[:2]),
        findings=found,
        culprits=culprits,
        comparison=comparison,
    )


def _culprits(culprits: Culprits, places: Places) -> tuple[Text, ...]:
    if not culprits.found:
        return ()
    firsts = [naming.rank(*_best_name(one.ranks, places), places) for one in culprits.found]
    who = naming.joined(firsts[: naming.FULLY_NAMED])
    facts = {"count": len(culprits.found), "comms": len(culprits.found[0].ranks)}
    if culprits.circle:
        return (naming.say_both("nccl-seen-circle", who=who, **facts),)
    one = "nccl-seen-culprit" if len(culprits.found) == 1 else "nccl-seen-culprits"
    return (naming.say_both(one, who=who, **facts),)


def _same_process(found: tuple[Finding, ...], places: Places) -> tuple[Text, ...]:
    """Tell, without blame, of one process that is behind in several communicators at once."""
    skewed = [one.comm for one in found if one.kind is Kind.MISMATCH and one.comm]
    behind = find_culprits(skewed).found
    if not behind or len(behind[0].ranks) < 2:
        return ()
    who = naming.rank(*_best_name(behind[0].ranks, places), places)
    return (naming.say_both("nccl-seen-same-process", who=who, comms=len(behind[0].ranks)),)


def _best_name(
    ranks: tuple[tuple[Communicator, int], ...], places: Places
) -> tuple[Communicator, int]:
    """Choose the communicator that gives the global rank, else the largest."""
    return max(ranks, key=lambda at: (places.of(*at).rank is not None, at[0].size))


def _more(found: tuple[Finding, ...]) -> tuple[Text, ...]:
    left = len(found) - SHOWN
    return (say("nccl-more", count=left),) if left > 0 else ()


def _notes(answer: RasAnswer, comparison: Comparison | None, known: Context) -> tuple[Text, ...]:
    notes = [*answer.cautions]
    if answer.job and answer.job.timeouts:
        notes.append(say("nccl-note-timeouts", count=answer.job.timeouts))
    if comparison and not comparison.comparable:
        notes.append(say("nccl-note-not-comparable"))
    elif comparison and comparison.too_close:
        notes.append(say("nccl-note-too-close", seconds=round(comparison.seconds or 0)))
    size, job = known.world_size, answer.job
    if size and job and not job.derived and job.gpus and job.gpus != size:
        notes.append(say("nccl-note-other-size", gpus=job.gpus, expected=size))
    return tuple(notes)


def _retries(answer: RasAnswer) -> tuple[Text, ...]:
    number = answer.handshake_retries
    return (say("nccl-note-retries", count=number),) if number else ()


def _uncounted(answer: RasAnswer) -> tuple[Text, ...]:
    if not answer.communicators:
        return ()
    one_total = any(t.kind == ONE_TOTAL for c in answer.communicators for t in c.tallies)
    extra = (say("nccl-not-kinds"),) if one_total else ()
    return (say("nccl-not-completed"), say("nccl-not-counted"), *extra)
