"""Turns a text report into the model; what an unreliable report lists is left out."""

from collections.abc import Iterable, Sequence

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import (
    Communicator,
    CountGroup,
    Failure,
    JobProcess,
    JobSummary,
    MissingRank,
    RasAnswer,
    RasProcess,
    Reason,
    StateGroup,
    Tally,
)
from rankscope.nccl.report import CommBlock, FailureBlock, GroupRow, RankList, TextReport
from rankscope.nccl.report_text import read_report
from rankscope.nccl.tallies import name_the_rest, standing
from rankscope.nccl.text_checks import is_abridged, signs_of_damage
from rankscope.text import say


def text_answer(text: str) -> RasAnswer:
    """Read and judge a text report that starts at its version line; never raises."""
    report = read_report(text)
    problems = signs_of_damage(report)
    reliable = not problems
    cut = bool({say("nccl-sign-cut"), say("nccl-sign-midline")} & {*problems})
    return RasAnswer(
        outcome=NcclOutcome.CUT if cut else NcclOutcome.ANSWERED,
        reason=Reason.CUT if cut else Reason.NONE,
        nccl_version=report.version,
        format="text",
        reliable=reliable,
        problems=problems,
        cautions=(say("nccl-caution-abridged"),) if is_abridged(report) else (),
        job=_job(report),
        communicators=tuple(_communicators(report, reliable)),
        processes_missing=tuple(report.missing.listed) if reliable and report.missing else (),
        missing_processes=report.missing.number if reliable and report.missing else 0,
        dead=tuple(report.dead.listed) if reliable and report.dead else (),
        dead_processes=report.dead.number if reliable and report.dead else 0,
        rendezvous_incomplete=_no_rendezvous(report),
        unknown_lines=(*report.unknown_lines, *report.misplaced_lines),
    )


def _no_rendezvous(report: TextReport) -> bool:
    return bool(report.tables) and report.tables[0] == [(0, 0, 0, 0, 0)]


def _job(report: TextReport) -> JobSummary | None:
    if not report.tables or not all(report.tables):
        return None
    row = report.tables[-1][-1]
    uniform = len(report.tables) == 1 and len(row) == 5
    if not uniform and len(row) != 3:
        return None
    nodes, processes, gpus = (row[0], row[3], row[4]) if uniform else row
    return JobSummary(
        nodes=nodes,
        processes=processes,
        gpus=gpus,
        processes_per_node=row[1] if uniform else None,
        gpus_per_process=row[2] if uniform else None,
        cuda_compiled=report.compiled,
        cuda_runtime=report.runtime,
        cuda_driver=report.driver,
        collection_seconds=report.seconds,
        timeouts=report.timeouts,
    )


def _communicators(report: TextReport, reliable: bool) -> Iterable[Communicator]:
    for row in report.rows:
        blocks = [block for (group, _), block in report.blocks.items() if group == row.number]
        if not reliable:
            yield _outline(row, blocks[0].hash if row.comms == len(blocks) == 1 else "")
            continue
        yield from (_communicator(row, block, report) for block in blocks)
        if (unnamed := row.comms - len(blocks)) > 0:
            yield _unnamed(row, unnamed)


def _outline(row: GroupRow, name: str) -> Communicator:
    """Keep what the table says of a group in an unreliable report, and nothing about ranks."""
    status = "NOCOMM" if row.status == "UNKNOWN" else row.status
    answered = row.answered if row.comms == 1 else 0
    return Communicator(name, row.size, status, row.errors, answered, alike=row.comms)


def _unnamed(row: GroupRow, number: int) -> Communicator:
    answered = row.answered if row.comms == 1 else row.size
    status = "NOCOMM" if row.status == "UNKNOWN" else row.status
    absent = row.size - answered
    return Communicator(
        "", row.size, status, row.errors, answered, alike=number, missing_count=absent
    )


def _communicator(row: GroupRow, block: CommBlock, report: TextReport) -> Communicator:
    lost = block.missing
    everyone = set(range(row.size))
    if lost and len(lost.ranks) != lost.number:
        present = None
    else:
        present = everyone.difference(lost.ranks if lost else ())
    states = name_the_rest([_state(group) for group in block.states or ()], present)
    outside = [group for group in states if group.state == "NOCOMM"]
    members = _members(present, outside)
    tallies = tuple(_tally(kind, groups, members) for kind, groups in block.tallies.items())
    stand = standing(tallies)
    lost_count = lost.number if lost else 0
    not_members = sum(group.number for group in outside)
    return Communicator(
        hash=block.hash,
        size=row.size,
        status="NOCOMM" if row.status == "UNKNOWN" else row.status,
        errors=row.errors,
        ranks_answered=row.size - lost_count - not_members,
        missing=tuple(_missing(block, report)),
        missing_count=lost_count,
        not_members=tuple(rank for group in outside for rank in group.ranks or ()),
        not_member_count=not_members,
        states=states,
        tallies=tallies,
        failures=tuple(found for failed in block.failures for found in _failures(failed)),
        behind=stand.behind,
        behind_unnamed=stand.behind_unnamed,
        ahead=stand.ahead,
        diverged=stand.diverged,
        processes=block.processes,
    )


def _members(present: set[int] | None, outside: Sequence[StateGroup]) -> set[int] | None:
    if present is None or any(group.ranks is None for group in outside):
        return None
    return present.difference(rank for group in outside for rank in group.ranks or ())


def _state(group: RankList) -> StateGroup:
    state = "NOCOMM" if group.what == "UNKNOWN" else group.what
    return StateGroup(state, group.number, _named(group))


def _named(group: RankList) -> tuple[int, ...] | None:
    return tuple(group.ranks) if len(group.ranks) == group.number else None


def _tally(kind: str, groups: Sequence[RankList], members: set[int] | None) -> Tally:
    counts = [CountGroup(int(group.what), group.number, _named(group)) for group in groups]
    counts.sort(key=lambda group: group.value)
    return Tally(kind, name_the_rest(counts, members))


def _failures(failed: FailureBlock) -> Iterable[Failure]:
    for group in failed.groups:
        yield Failure(failed.stage, group.what, group.number, tuple(group.ranks))
    unnamed = failed.number - sum(group.number for group in failed.groups)
    if unnamed:
        yield Failure(failed.stage, "", unnamed)


def _missing(block: CommBlock, report: TextReport) -> Iterable[MissingRank]:
    for rank in block.missing.ranks if block.missing else ():
        process = block.processes.get(rank) or _only_candidate(block, report)
        place = (process.host, process.pid) if process else None
        yield MissingRank(rank, _is_dead(place, report), process)


def _only_candidate(block: CommBlock, report: TextReport) -> RasProcess | None:
    """Return the process of a lone missing rank that 2.24 does not describe, if one is missing."""
    lists = [found for found in (report.missing, report.dead) if found]
    listed = [process for found in lists for process in found.listed]
    alone = block.missing is not None and block.missing.number == 1
    if not alone or sum(found.number for found in lists) != 1 or not listed:
        return None
    process = listed[0]
    return (
        RasProcess(process.host, process.pid, process.gpus[0]) if len(process.gpus) == 1 else None
    )


def _is_dead(place: tuple[str, int] | None, report: TextReport) -> bool | None:
    if report.dead is None:
        return False
    if report.missing is None:
        return True
    dead, missing = _places(report.dead.listed), _places(report.missing.listed)
    if place in dead or place in missing:
        return place in dead
    return None


def _places(processes: Iterable[JobProcess]) -> set[tuple[str, int]]:
    return {(process.host, process.pid) for process in processes}
