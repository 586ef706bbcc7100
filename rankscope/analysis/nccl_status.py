"""What NCCL's answers in a capture say: the report's status, and whom RAS blames."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rankscope.analysis.scene import moment_of
from rankscope.model.capture import Capture, NcclAnswer, NcclOutcome, Role
from rankscope.model.report import NcclCommunicator, NcclRank, NcclStatus
from rankscope.model.text import Text
from rankscope.nccl.evidence import Blamed, blamed
from rankscope.nccl.model import Communicator, RasAnswer, Reason
from rankscope.nccl.places import Places, join
from rankscope.nccl.read import read_answer
from rankscope.nccl.unavailable import Circumstances, settle
from rankscope.nccl.verdict import Context, RasVerdict, judge
from rankscope.nccl.versions import FIRST_WITH_RAS, NcclVersion
from rankscope.text import say

SHOWN_COMMUNICATORS = 5
SHOWN_RANKS = 16
"""So many ranks of a communicator are listed; the others are counted."""

# The answer that says most comes first; nodes may differ while a job starts or ends.
_ORDER = (
    NcclOutcome.ANSWERED,
    NcclOutcome.FROZEN,
    NcclOutcome.CUT,
    NcclOutcome.UNSUPPORTED,
    NcclOutcome.DISABLED,
    NcclOutcome.UNSAFE,
    NcclOutcome.REFUSED,
    NcclOutcome.NOT_INITIALISED,
)
# What an outcome means where the agent gave no reason.
_USUAL = {
    NcclOutcome.UNSUPPORTED: Reason.TOO_OLD,
    NcclOutcome.DISABLED: Reason.DISABLED,
    NcclOutcome.NOT_INITIALISED: Reason.NOT_INITIALISED,
    NcclOutcome.REFUSED: Reason.REFUSED,
    NcclOutcome.FROZEN: Reason.FROZEN,
    NcclOutcome.CUT: Reason.CUT,
    NcclOutcome.UNSAFE: Reason.DANGEROUS,
}


@dataclass(frozen=True, slots=True)
class NcclReading:
    """The status for the report, None when NCCL was not asked about, and whom RAS blames."""

    status: NcclStatus | None = None
    blamed: tuple[Blamed, ...] = ()


def read_nccl(capture: Capture) -> NcclReading:
    """Judge the most telling answer of a capture, with an earlier one of the same node."""
    if not capture.nccl:
        return NcclReading()
    best = min(capture.nccl, key=lambda answer: _ORDER.index(answer.outcome))
    answered = _answered(capture.nccl, best.node)
    chosen = answered[-1] if answered else (best, _answer(best))
    earlier = answered[0] if len(answered) > 1 else None
    known = _circumstances(chosen[0], capture)
    now = settle(chosen[1], known)
    size = capture.header.world_size
    seconds = _seconds(earlier[0], chosen[0]) if earlier else None
    verdict = judge(now, earlier[1] if earlier else None, Context(capture, size, seconds, known))
    places = join(now, capture, size)
    status = _status(now, verdict, places)
    version = status.nccl_version or _any_version(capture.nccl)
    return NcclReading(replace(status, nccl_version=version), blamed(now, verdict, places))


Read = tuple[NcclAnswer, RasAnswer]


def _answered(answers: Iterable[NcclAnswer], node: str) -> list[Read]:
    """Return a node's answers in order; one that is unreliable gives way to one that is not."""
    own = [one for one in answers if one.node == node and one.outcome is NcclOutcome.ANSWERED]
    found = [(one, _answer(one)) for one in sorted(own, key=lambda one: one.sample)]
    return [read for read in found if read[1].reliable] or found[-1:]


def _answer(answer: NcclAnswer) -> RasAnswer:
    if answer.outcome is NcclOutcome.ANSWERED:
        return read_answer(answer.raw)
    reason = Reason(answer.reason) if answer.reason in set(Reason) else Reason.NONE
    reason = reason or _usual(answer)
    problem = say(f"nccl-problem-{reason.replace('_', '-')}") if _is_cut(answer) else None
    return RasAnswer(
        outcome=answer.outcome,
        reason=reason,
        nccl_version=answer.nccl_version,
        format=answer.format or "",
        problems=(problem,) if problem else (),
        detail=answer.detail,
    )


def _is_cut(answer: NcclAnswer) -> bool:
    return answer.outcome is NcclOutcome.CUT


def _usual(answer: NcclAnswer) -> Reason:
    version = NcclVersion.parse(answer.nccl_version or "")
    if answer.outcome is NcclOutcome.NOT_INITIALISED and version is None:
        return Reason.NOT_LOADED
    if answer.outcome is NcclOutcome.UNSAFE and version is None:
        return Reason.VERSION_UNKNOWN
    if answer.outcome is NcclOutcome.UNSUPPORTED and version and version >= FIRST_WITH_RAS:
        return Reason.NOT_RAS
    return _USUAL[answer.outcome]


def _circumstances(answer: NcclAnswer, capture: Capture) -> Circumstances:
    """Gather what agent and stacks know; an agent that gives a reason has looked at settings."""
    roles = {(p.role, p.state not in {"Z", "X"}) for s in capture.samples for p in s.processes}
    has_looked = answer.reason in {Reason.REFUSED, Reason.UNREACHABLE, Reason.FROZEN}
    return Circumstances(
        version=NcclVersion.parse(answer.nccl_version or ""),
        enabled=False if answer.outcome is NcclOutcome.DISABLED else has_looked or None,
        running=(Role.TRAINER, True) in roles or None,
    )


def _seconds(earlier: NcclAnswer, now: NcclAnswer) -> float | None:
    one, other = moment_of(earlier.asked_at), moment_of(now.asked_at)
    return (other - one).total_seconds() if one and other else None


def _any_version(answers: Iterable[NcclAnswer]) -> str | None:
    return next((answer.nccl_version for answer in answers if answer.nccl_version), None)


def _status(answer: RasAnswer, verdict: RasVerdict, places: Places) -> NcclStatus:
    worst = _worst(answer, verdict)
    shown = worst[:SHOWN_COMMUNICATORS]
    return NcclStatus(
        outcome=answer.outcome.value,
        nccl_version=answer.nccl_version,
        text=verdict.line,
        kind=verdict.kind.value,
        progress=verdict.progress,
        reliable=answer.reliable,
        communicators=tuple(_communicator(comm, text, places) for comm, text in shown),
        more_communicators=sum(comm.alike for comm, _ in worst[SHOWN_COMMUNICATORS:]),
        seen=verdict.seen,
        not_meant=verdict.not_meant,
        next_steps=verdict.next_steps,
    )


def _worst(answer: RasAnswer, verdict: RasVerdict) -> list[tuple[Communicator, Text | None]]:
    """Return the communicators, those with the gravest findings first, then the largest."""
    first: dict[int, tuple[Communicator, Text | None]] = {}
    for finding in verdict.findings:
        if finding.comm is not None:
            first.setdefault(id(finding.comm), (finding.comm, finding.text))
    sound = answer.communicators if answer.reliable else ()
    for comm in sorted(sound, key=lambda comm: -comm.size):
        first.setdefault(id(comm), (comm, None))
    return list(first.values())


def _communicator(comm: Communicator, text: Text | None, places: Places) -> NcclCommunicator:
    dead = {lost.rank: lost.dead for lost in comm.missing}
    behind, missing = comm.behind[:SHOWN_RANKS], tuple(dead)[:SHOWN_RANKS]
    return NcclCommunicator(
        hash=comm.hash,
        alike=comm.alike,
        size=comm.size,
        status=comm.status,
        errors=comm.errors,
        ranks_answered=comm.ranks_answered,
        behind=tuple(_ranks(comm, behind, places)),
        behind_count=comm.behind_count,
        missing=tuple(replace(one, dead=dead[one.local]) for one in _ranks(comm, missing, places)),
        missing_count=comm.missing_count,
        text=text,
    )


def _ranks(comm: Communicator, ranks: Sequence[int], places: Places) -> Iterator[NcclRank]:
    for local in ranks:
        place = places.of(comm, local)
        host = place.process.host if place.process else ""
        yield NcclRank(rank=place.rank, local=local, node=place.node or host)
