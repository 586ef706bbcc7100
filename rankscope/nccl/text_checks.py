"""Signs that a text report was cut or damaged: every number in it is held against the others.

A report says most things twice: the Errors column and the blocks below, the size of a communicator
and the numbers of its ranks, how many ranks are meant and who they are. A report of a version whose
every line is known must hold no other line. Known causes of damage: NVIDIA/nccl#1762 (garbage rows,
2.26.2 to 2.28.9) and NVIDIA/nccl#2346 (zero rows, 2.27.3 and later).
"""

import re
from collections.abc import Iterable, Iterator

from rankscope.model.text import Text
from rankscope.nccl import grammar as g
from rankscope.nccl.model import FLAGS, STATUSES, JobProcess
from rankscope.nccl.report import CommBlock, GroupRow, ProcessList, RankList, TextReport
from rankscope.nccl.versions import NcclVersion
from rankscope.text import say

SOCKET_ADDRESS = re.compile(r"[0-9a-f]{4}00020000[0-9a-f]{4}\Z")
"""A socket address (AF_INET is 2) in place of a hash, as NVIDIA/nccl#1762 shows it."""


def signs_of_damage(report: TextReport) -> tuple[Text, ...]:
    """Return every sign against the report, each once, the most telling first."""
    found = [*_cut(report), *_foreign_lines(report)]
    if not is_abridged(report):
        found += [*_job(report), *_table(report), *_blocks(report), *_processes(report)]
    else:
        found += [*_rows(report)]
    return tuple(dict.fromkeys(found))


def is_abridged(report: TextReport) -> bool:
    """Whether the report was copied without its section headings, as documentation quotes it."""
    return not report.headings and not report.underlines and bool(report.rows)


def _cut(report: TextReport) -> Iterator[Text]:
    if is_abridged(report):
        if report.partial_line:
            yield say("nccl-sign-midline")
        return
    if report.version is None or report.runtime is None:
        yield say("nccl-sign-no-head")
    whole = report.headings == list(g.HEADINGS) and report.underlines == len(g.HEADINGS)
    if not whole:
        yield say("nccl-sign-cut")
    elif report.ends_midline:
        yield say("nccl-sign-midline")


def _foreign_lines(report: TextReport) -> Iterator[Text]:
    if report.misplaced_lines:
        yield say("nccl-sign-misplaced", line=report.misplaced_lines[0].strip()[:80])
    if report.unknown_lines and _grammar_known(report):
        yield say("nccl-sign-unknown-line", line=report.unknown_lines[0].strip()[:80])


def _grammar_known(report: TextReport) -> bool:
    version = NcclVersion.parse(report.version or "")
    first, last = g.KNOWN_GRAMMAR
    return version is None or (first <= version.numbers <= last and report.product != "RCCL")


def _job(report: TextReport) -> Iterator[Text]:
    tables = report.tables
    if not tables or not all(tables) or not _sums_fit(tables):
        yield say("nccl-sign-job")


def _sums_fit(tables: list[list[tuple[int, ...]]]) -> bool:
    rows = tables[0]
    if len(tables) == 1:
        if len(rows) != 1 or len(rows[0]) != 5:
            return False
        nodes, per_node, per_process, processes, gpus = rows[0]
        return processes == nodes * per_node and gpus == processes * per_process
    if len(tables[-1]) != 1 or len(tables[-1][0]) != 3:
        return False
    nodes, processes, gpus = tables[-1][0]
    if len(tables) == 2 and all(len(row) == 3 for row in rows):
        sums = (sum(r[0] for r in rows), sum(r[0] * r[1] for r in rows))
        return (*sums, sum(r[0] * r[1] * r[2] for r in rows)) == (nodes, processes, gpus)
    if len(tables) == 3 and all(len(row) == 2 for table in tables[:2] for row in table):
        sums = (sum(r[0] for r in rows), sum(r[0] * r[1] for r in rows))
        counts = (sum(r[0] for r in tables[1]), sum(r[0] * r[1] for r in tables[1]))
        return (*sums, *counts) == (nodes, processes, processes, gpus)
    return False


def _table(report: TextReport) -> Iterator[Text]:
    if report.no_data == bool(report.rows) or (report.rows and not report.table_shown):
        yield say("nccl-sign-table")
    yield from _rows(report)


def _rows(report: TextReport) -> Iterator[Text]:
    if [row.number for row in report.rows] != list(range(len(report.rows))):
        yield say("nccl-sign-table")
    for row in report.rows:
        if 0 in {row.nodes, row.size, row.answered}:
            yield say("nccl-sign-zeros")
        elif not _row_fits(row):
            yield say("nccl-sign-row", group=row.number)


def _row_fits(row: GroupRow) -> bool:
    low, high = row.ranks_per_node
    known = row.status in {*STATUSES, "UNKNOWN"} and _in_order(row.errors)
    possible = row.comms > 0 and 0 < low <= high and 0 < row.answered <= row.comms * row.size
    if not (known and possible):
        return False
    complete = row.answered == row.comms * row.size
    if row.comms > 1:
        return not (complete and "INCOMPLETE" in row.errors)
    spread = row.nodes * low <= row.answered <= row.nodes * high
    excused = bool({"INCOMPLETE", "MISMATCH"} & {*row.errors})
    return spread and ("INCOMPLETE" not in row.errors if complete else excused)


def _in_order(errors: tuple[str, ...]) -> bool:
    return errors == tuple(flag for flag in FLAGS if flag in errors)


def _blocks(report: TextReport) -> Iterator[Text]:
    announced = {
        (row.number, index, flag)
        for row in report.rows
        for index in range(min(row.comms, len(report.blocks)) if row.errors else 0)
        for flag in row.errors
    }
    given = {(*place, kind) for place, block in report.blocks.items() for kind in block.kinds}
    short = any(row.errors and row.comms > len(report.blocks) for row in report.rows)
    if announced != given or short:
        yield say("nccl-sign-blocks")
    rows = {row.number: row for row in report.rows}
    for (group, _), block in report.blocks.items():
        if SOCKET_ADDRESS.match(block.hash) or not int(block.hash, 16):
            yield say("nccl-sign-hash", hash=block.hash)
        if group in rows and not _block_fits(block, rows[group]):
            yield say("nccl-sign-block", hash=block.hash)


def _block_fits(block: CommBlock, row: GroupRow) -> bool:
    if not all(_list_fits(ranks, row.size, total) for ranks, total in _rank_lists(block)):
        return False
    if not all(_errors_fit(failure.number, failure.groups) for failure in block.failures):
        return False
    if not all(_error_block_filled(block, kind) for kind in block.kinds):
        return False
    missing = block.missing.number if block.missing else 0
    outside = sum(s.number for s in block.states or () if s.what in {"NOCOMM", "UNKNOWN"})
    answered = row.size - missing - outside
    if row.comms == 1 and answered != row.answered:
        return False
    return _states_fit(block, row, answered + outside) and all(
        _counts_fit(groups, answered) for groups in block.tallies.values()
    )


def _rank_lists(block: CommBlock) -> Iterator[tuple[RankList, int | None]]:
    """Yield every list with the number of ranks it is a part of, None where NCCL has none."""
    if block.missing:
        yield block.missing, None
    for failure in block.failures:
        yield from ((group, None) for group in failure.groups)
    for groups in (block.states or [], *block.tallies.values()):
        total = sum(group.number for group in groups)
        yield from ((group, total) for group in groups)


def _may_be_unlisted(number: int, total: int | None) -> bool:
    """Apply rasCountIsOutlier: one is always listed, up to ten if they are a quarter at most."""
    return number > g.LISTED_AT_MOST or (total is not None and number > 1 and 4 * number > total)


def _list_fits(ranks: RankList, size: int, total: int | None) -> bool:
    if not 0 < ranks.number <= size:
        return False
    if not ranks.ranks:
        return _may_be_unlisted(ranks.number, total)
    ascending = all(a < b for a, b in zip(ranks.ranks, ranks.ranks[1:], strict=False))
    whole = ranks.cut or len(ranks.ranks) == ranks.number
    return whole and ascending and ranks.ranks[0] >= 0 and ranks.ranks[-1] < size


def _errors_fit(number: int, groups: list[RankList]) -> bool:
    # Codes without a name are counted but not broken down, hence fewer is possible.
    return sum(group.number for group in groups) <= number


def _error_block_filled(block: CommBlock, kind: str) -> bool:
    filled = {
        "INCOMPLETE": block.missing is not None,
        "ERROR": bool(block.failures),
        "MISMATCH": bool(block.states or block.tallies),
    }
    return filled[kind]


def _states_fit(block: CommBlock, row: GroupRow, responded: int) -> bool:
    if block.states is None:
        return True
    names = [state.what for state in block.states]
    if not {*names} <= {*STATUSES, "UNKNOWN"} or len({*names}) != len(names) or len(names) < 2:
        return False
    highest = next(status for status in (*STATUSES, "UNKNOWN") if status in names)
    return sum(s.number for s in block.states) == responded and highest == row.status


def _counts_fit(groups: list[RankList], answered: int) -> bool:
    values = [int(group.what) for group in groups]
    distinct = len({*values}) == len(values) >= 2
    named = [rank for group in groups for rank in group.ranks]
    unique = len({*named}) == len(named)
    return distinct and unique and sum(group.number for group in groups) == answered


def _processes(report: TextReport) -> Iterator[Text]:
    lists = [found for found in (report.missing, report.dead) if found]
    if not all(_process_list_fits(found) for found in lists):
        yield say("nccl-sign-processes")
    incomplete = [block for block in report.blocks.values() if block.missing]
    if incomplete and not lists:
        yield say("nccl-sign-processes")
    listed = [process for found in lists for process in found.listed]
    if len({(p.host, p.pid) for p in listed}) != len(listed):
        yield say("nccl-sign-processes")
    if all(len(found.listed) == found.number for found in lists):
        strangers = [b for b in incomplete if not _are_listed(b, listed)]
        yield from (say("nccl-sign-block", hash=block.hash) for block in strangers)


def _process_list_fits(found: ProcessList) -> bool:
    described = len(found.listed) + found.unfound
    unlisted = not described and _may_be_unlisted(found.number, None)
    return found.number > 0 and (described == found.number or unlisted)


def _are_listed(block: CommBlock, listed: Iterable[JobProcess]) -> bool:
    gpus = {(process.host, process.pid): process.gpus for process in listed}
    missing = block.missing.ranks if block.missing else []
    processes = [block.processes[rank] for rank in missing if rank in block.processes]
    return all(p.gpu in gpus.get((p.host, p.pid), ()) for p in processes)
