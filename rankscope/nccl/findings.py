"""What one answer, or two, show: one finding for each thing seen, the gravest first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rankscope.model.text import Text
from rankscope.nccl import naming
from rankscope.nccl.model import Communicator, Failure, RasAnswer, Tally
from rankscope.nccl.places import Places
from rankscope.nccl.progress import CommProgress, Comparison
from rankscope.text import say

REMOTE = "Remote process error"
"""What ranks report that suffer from another's failure."""


class Kind(StrEnum):
    """What is seen, from the gravest to the most harmless."""

    DEAD = "dead"
    INCOMPLETE = "incomplete"
    ERROR = "error"
    ABORT = "abort"
    STALLED = "stalled"
    INIT_STUCK = "init-stuck"
    LAGGING = "lagging"
    RENDEZVOUS = "rendezvous"
    TRANSITION = "transition"
    INITIALISING = "initialising"
    MISMATCH = "mismatch"
    STILL_EVEN = "still-even"
    MOVING = "moving"
    NO_COMMUNICATORS = "no-communicators"
    EVENTS = "events"
    EVEN = "even"
    UNRELIABLE = "unreliable"
    UNAVAILABLE = "unavailable"


ORDER = tuple(Kind)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing seen; comm is the communicator it is about, None for the job."""

    kind: Kind
    text: Text
    comm: Communicator | None = None


def findings(
    answer: RasAnswer, places: Places, comparison: Comparison | None = None
) -> tuple[Finding, ...]:
    """Return what a reliable answer shows, compared with an earlier one if there is one."""
    found = [*_processes(answer, places), *_job(answer)]
    compared = {id(p.now): p for p in comparison.comms} if comparison else {}
    for comm in answer.communicators:
        found += _communicator(comm, places, compared.get(id(comm)))
    if comparison and comparison.comparable:
        found += _overall(found, comparison)
    return tuple(sorted(found, key=lambda finding: ORDER.index(finding.kind)))


def _processes(answer: RasAnswer, places: Places) -> Iterator[Finding]:
    for kind, number, listed in (
        (Kind.DEAD, answer.dead_processes, answer.dead),
        (Kind.INCOMPLETE, answer.missing_processes, answer.processes_missing),
    ):
        if number and listed:
            who = naming.processes(listed, answer, places)
            yield Finding(kind, naming.say_both(f"nccl-seen-{kind}", count=number, who=who))
        elif number:
            yield Finding(kind, say(f"nccl-seen-{kind}-unnamed", count=number))


def _job(answer: RasAnswer) -> Iterator[Finding]:
    if answer.rendezvous_incomplete:
        yield Finding(Kind.RENDEZVOUS, say("nccl-seen-rendezvous"))
    elif answer.events:
        gone = [e for e in answer.events if e.event in {"PEER_DEAD", "PEER_UNRESPONSIVE"}]
        last = gone[-1] if gone else answer.events[-1]
        shown = say("nccl-seen-events", count=len(answer.events), event=last.event, who=last.where)
        yield Finding(Kind.EVENTS, shown)
    elif not answer.communicators:
        yield Finding(Kind.NO_COMMUNICATORS, say("nccl-seen-no-communicators"))


def _communicator(
    comm: Communicator, places: Places, compared: CommProgress | None
) -> Iterator[Finding]:
    name = naming.communicator(comm)
    if comm.missing_count:
        yield Finding(_lost_kind(comm), _lost(comm, places), comm)
    if comm.failures:
        yield Finding(Kind.ERROR, _failed(comm, places), comm)
    if comm.status == "ABORT":
        number = comm.ranks_in("ABORT")[0] or comm.ranks_answered
        yield Finding(Kind.ABORT, naming.say_both("nccl-seen-abort", comm=name, count=number), comm)
    if comm.not_member_count or comm.status in {"FINALIZE", "NOCOMM"}:
        yield Finding(Kind.TRANSITION, _transition(comm), comm)
    if comm.skewed:
        yield _skewed(comm, places, compared)
    yield from _initialising(comm, places, compared)


def _lost_kind(comm: Communicator) -> Kind:
    return Kind.DEAD if any(rank.dead for rank in comm.missing) else Kind.INCOMPLETE


def _lost(comm: Communicator, places: Places) -> Text:
    facts = {"comm": naming.communicator(comm), "count": comm.missing_count}
    if not comm.missing:
        return naming.say_both("nccl-seen-missing-unnamed", **facts, answered=comm.ranks_answered)
    who = naming.ranks(comm, [rank.rank for rank in comm.missing], places)
    cut = len(comm.missing) < comm.missing_count
    return naming.say_both(
        "nccl-seen-missing-cut" if cut else "nccl-seen-missing", **facts, who=who
    )


def _failed(comm: Communicator, places: Places) -> Text:
    """Name those who failed by themselves before those who suffer from it."""
    own_first = sorted(comm.failures, key=lambda f: (f.error == REMOTE, f.number))
    parts = [_failure(failure, comm, places) for failure in own_first]
    return naming.say_both(
        "nccl-seen-error", comm=naming.communicator(comm), what=naming.joined(parts)
    )


def _failure(failure: Failure, comm: Communicator, places: Places) -> Text:
    error = failure.error or say("nccl-error-unnamed")
    stage = say(f"nccl-stage-{failure.stage}")
    if failure.ranks:
        who = naming.ranks(comm, failure.ranks, places)
    else:
        who = say("nccl-some-ranks", count=failure.number)
    return naming.say_both("nccl-failure", who=who, error=error, stage=stage)


def _transition(comm: Communicator) -> Text:
    states = [
        say("nccl-state", count=group.number, state=group.state) for group in comm.states
    ] or [say("nccl-state", count=comm.ranks_answered, state=comm.status)]
    name = naming.communicator(comm)
    return naming.say_both("nccl-seen-transition", comm=name, states=naming.joined(states))


def _skewed(comm: Communicator, places: Places, compared: CommProgress | None) -> Finding:
    if compared and compared.stalled:
        kind = Kind.STALLED
    elif compared and compared.progress == "moving":
        kind = Kind.LAGGING if compared.still else Kind.MOVING
    else:
        kind = Kind.MISMATCH
    facts = {"comm": naming.communicator(comm), "counts": _counts(comm)}
    if kind is Kind.LAGGING and compared:
        who = naming.ranks(comm, compared.still, places)
        return Finding(kind, naming.say_both("nccl-seen-lagging", who=who, **facts), comm)
    if comm.diverged and kind in {Kind.STALLED, Kind.MISMATCH}:
        return Finding(kind, naming.say_both(f"nccl-seen-{kind}-crossed", **facts), comm)
    who = _behind(comm, places)
    return Finding(kind, naming.say_both(f"nccl-seen-{kind}-comm", who=who, **facts), comm)


def _behind(comm: Communicator, places: Places) -> Text:
    if not comm.behind:
        return say("nccl-some-ranks", count=comm.behind_count)
    named = naming.ranks(comm, comm.behind, places)
    if comm.behind_unnamed:
        return naming.say_both("nccl-and-more", who=named, count=comm.behind_unnamed)
    if comm.ahead and not comm.diverged:
        ahead = naming.spans(comm.ahead)
        return naming.say_both("nccl-behind-ahead", who=named, ahead=ahead)
    return named


def _counts(comm: Communicator) -> Text:
    return naming.joined([_tally(tally) for tally in comm.skewed])


def _tally(tally: Tally) -> Text:
    kind = tally.kind if tally.kind != "Collective" else say("nccl-all-collectives")
    return naming.say_both("nccl-counts", kind=kind, low=tally.minimum, high=tally.maximum)


def _initialising(
    comm: Communicator, places: Places, compared: CommProgress | None
) -> Iterator[Finding]:
    number, _ = comm.ranks_in("INIT")
    if comm.status != "INIT" and not number:
        return
    waiting = [r for group in comm.states if group.state == "INIT" for r in group.ranks or ()]
    kind = Kind.INIT_STUCK if compared and compared.initialising else Kind.INITIALISING
    whole = comm.status == "INIT"
    if whole or not waiting:
        who = say("nccl-all-ranks") if whole else say("nccl-some-ranks", count=number)
    else:
        who = naming.ranks(comm, waiting, places)
    name = naming.communicator(comm)
    yield Finding(
        kind, naming.say_both(f"nccl-seen-{kind}", comm=name, who=who, status=comm.status), comm
    )


def _overall(found: Sequence[Finding], comparison: Comparison) -> Iterator[Finding]:
    seen = {finding.kind for finding in found}
    if comparison.progress == "moving" and not {Kind.MOVING, Kind.LAGGING} & seen:
        yield Finding(Kind.MOVING, say("nccl-seen-moving"))
    if comparison.progress == "frozen" and not {Kind.STALLED, Kind.INIT_STUCK} & seen:
        yield Finding(Kind.STILL_EVEN, say("nccl-seen-still-even"))


def kinds(found: Iterable[Finding]) -> tuple[Kind, ...]:
    """Return the kinds found, each once, the gravest first."""
    return tuple(dict.fromkeys(finding.kind for finding in found))
