"""Reads a RAS text report line by line into what it says, without judging it."""

import re
from collections.abc import Callable
from typing import Literal

from rankscope.nccl import grammar as g
from rankscope.nccl.model import JobProcess
from rankscope.nccl.report import (
    CommBlock,
    FailureBlock,
    GroupRow,
    ProcessList,
    RankList,
    TextReport,
)


def read_report(text: str) -> TextReport:
    """Read a report that starts at its version line; never raises."""
    reader = _Reader()
    for line in text.replace("\r\n", "\n").split("\n"):
        reader.feed(line)
    report, last = reader.report, text.rpartition("\n")[2]
    report.ends_midline = bool(last) and not g.UNDERLINE.match(last)
    if report.ends_midline and report.unknown_lines[-1:] == [last.rstrip()]:
        report.partial_line = report.unknown_lines.pop()
    return report


class _Reader:
    """Remembers which block and which list the next line continues."""

    def __init__(self) -> None:
        self.report = TextReport()
        self.block = ""
        self.comm: CommBlock | None = None
        self.ranks: RankList | None = None
        self.processes: ProcessList | None = None
        self.groups: list[RankList] | None = None
        self.paragraph = ""

    def feed(self, line: str) -> None:
        line = line.rstrip()
        if not line:
            return
        for pattern, handle in _RULES:
            if match := pattern.match(line):
                if not handle(self, match):
                    self.report.misplaced_lines.append(line)
                return
        self.report.unknown_lines.append(line)
        if not line.startswith(" "):
            self._leave()

    def _leave(self) -> None:
        self.block, self.comm = "", None
        self.ranks = self.processes = self.groups = None

    def version(self, match: re.Match[str]) -> bool:
        report = self.report
        if report.version is not None:
            return False
        report.product, report.version, report.compiled = match[1], match[2], match[3]
        return True

    def runtime(self, match: re.Match[str]) -> bool:
        first = self.report.runtime is None
        self.report.runtime, self.report.driver = int(match[1]), int(match[2])
        return first

    def heading(self, match: re.Match[str]) -> bool:
        return self._heading(match[1])

    def _heading(self, name: str) -> bool:
        self._leave()
        self.report.headings.append(name)
        return True

    def underline(self, _match: re.Match[str]) -> bool:
        self.report.underlines += 1
        return True

    def collection(self, match: re.Match[str]) -> bool:
        self.report.seconds = float(match[1])
        return self._heading("Communicators")

    def table_head(self, _match: re.Match[str]) -> bool:
        tables = self.report.tables
        if not tables or tables[-1]:
            tables.append([])
        return not self.report.rows

    def table_row(self, match: re.Match[str]) -> bool:
        if not self.report.tables:
            return False
        self.report.tables[-1].append(tuple(int(cell) for cell in match[0].split()))
        return not self.report.rows

    def group_head(self, _match: re.Match[str]) -> bool:
        self.report.table_shown = True
        return not self.report.rows

    def group_row(self, match: re.Match[str]) -> bool:
        numbers = [int(match[i]) for i in (1, 2, 3, 4, 6, 7)]
        number, comms, nodes, low, size, answered = numbers
        high = int(match[5]) if match[5] else low
        errors = () if match[9] == "OK" else tuple(match[9].split(","))
        row = GroupRow(number, comms, nodes, (low, high), size, answered, match[8], errors)
        self.report.rows.append(row)
        return self.report.table_shown

    def no_data(self, _match: re.Match[str]) -> bool:
        self.report.no_data = True
        return not self.report.rows

    def note(self, _match: re.Match[str]) -> bool:
        return True

    def plain_block(self, match: re.Match[str]) -> bool:
        self._leave()
        self.block = match[1]
        return True

    def comm_block(self, match: re.Match[str]) -> bool:
        self._leave()
        self.block = match[4]
        place = int(match[1]), int(match[2])
        self.comm = self.report.blocks.setdefault(place, CommBlock(match[3]))
        is_new = self.block not in self.comm.kinds
        self.comm.kinds.append(self.block)
        return is_new and self.comm.hash == match[3]

    def missing_processes(self, match: re.Match[str]) -> bool:
        fits = self.block == "INCOMPLETE" and self.comm is None and self.report.missing is None
        self.processes = self.report.missing = ProcessList(int(match[1]))
        return fits

    def dead_processes(self, match: re.Match[str]) -> bool:
        fits = self.block == "DEAD" and self.report.dead is None
        self.processes = self.report.dead = ProcessList(int(match[1]))
        return fits

    def process(self, match: re.Match[str]) -> bool:
        if self.processes is None:
            return False
        gpus = tuple(int(gpu) for gpu in match[3].split(",") if gpu)
        self.processes.listed.append(JobProcess(match[2], int(match[1]), gpus))
        return True

    def unfound(self, match: re.Match[str]) -> bool:
        if self.processes is None or self.processes.unfound:
            return False
        self.processes.unfound = int(match[1])
        return True

    def missing_ranks(self, match: re.Match[str]) -> bool:
        if self.comm is None or self.block != "INCOMPLETE" or self.comm.missing:
            return False
        self.ranks = self.comm.missing = RankList("missing", int(match[1]))
        return True

    def rank_list(self, match: re.Match[str]) -> bool:
        if self.ranks is None or self.ranks.ranks:
            return False
        numbers = match[2].split(",")
        # The last number of a full buffer may have lost digits.
        full = len(match[2]) > g.OLD_LIST_CHARACTERS - 8
        self.ranks.cut = full and len(numbers) < self.ranks.number
        self.ranks.ranks = [int(n) for n in (numbers[:-1] if self.ranks.cut else numbers) if n]
        return True

    def rank(self, match: re.Match[str]) -> bool:
        if self.ranks is None:
            return False
        self.ranks.ranks.append(int(match[1]))
        self._keep_process(match)
        return True

    def _keep_process(self, match: re.Match[str]) -> None:
        process = g.process_of(match)
        if self.comm is not None and process is not None:
            self.comm.processes[int(match[1])] = process

    def failed(self, match: re.Match[str]) -> bool:
        if self.comm is None or self.block != "ERROR":
            return False
        stage: Literal["init", "async"] = "init" if match[1] == "Initialization" else "async"
        failure = FailureBlock(stage, int(match[2]))
        is_new = all(known.stage != stage for known in self.comm.failures)
        self.comm.failures.append(failure)
        self._begin("failed", failure.groups)
        return is_new

    def states(self, _match: re.Match[str]) -> bool:
        if self.comm is None or self.block != "MISMATCH" or self.comm.states is not None:
            return False
        self.comm.states = []
        return self._begin("states", self.comm.states)

    def counts(self, match: re.Match[str]) -> bool:
        kind = g.ONE_TOTAL if match[1] == "collective" else match[1]
        if self.comm is None or self.block != "MISMATCH" or kind in self.comm.tallies:
            return False
        self.comm.tallies[kind] = []
        return self._begin("counts", self.comm.tallies[kind])

    def _begin(self, paragraph: str, groups: list[RankList]) -> bool:
        self.paragraph, self.groups, self.ranks = paragraph, groups, None
        return True

    def _some(self, paragraph: str, match: re.Match[str]) -> bool:
        if self.groups is None or self.paragraph != paragraph:
            return False
        self.ranks = RankList(match[2] or "0", int(match[1]))
        self.groups.append(self.ranks)
        return True

    def _one(self, paragraph: str, match: re.Match[str]) -> bool:
        if self.groups is None or self.paragraph != paragraph:
            return False
        self.groups.append(RankList(match[2] or "0", 1, [int(match[1])]))
        self.ranks = None
        self._keep_process(match)
        return True

    def count_some(self, match: re.Match[str]) -> bool:
        return self._some("counts", match)

    def count_one(self, match: re.Match[str]) -> bool:
        return self._one("counts", match)

    def state_some(self, match: re.Match[str]) -> bool:
        return self._some("states", match)

    def state_one(self, match: re.Match[str]) -> bool:
        return self._one("states", match)

    def failed_some(self, match: re.Match[str]) -> bool:
        return self._some("failed", match)

    def failed_one(self, match: re.Match[str]) -> bool:
        return self._one("failed", match)

    def timeouts(self, match: re.Match[str]) -> bool:
        self.report.timeouts = int(match[1])
        return self.block == "TIMEOUT"


_Rule = tuple[re.Pattern[str], Callable[[_Reader, re.Match[str]], bool]]
_RULES: tuple[_Rule, ...] = (
    (g.RANK, _Reader.rank),
    (g.PROCESS, _Reader.process),
    (g.GROUP_ROW, _Reader.group_row),
    (g.COUNT_SOME, _Reader.count_some),
    (g.COUNT_ONE, _Reader.count_one),
    (g.STATE_SOME, _Reader.state_some),
    (g.STATE_ONE, _Reader.state_one),
    (g.FAILED_SOME, _Reader.failed_some),
    (g.FAILED_ONE, _Reader.failed_one),
    (g.COMM_BLOCK, _Reader.comm_block),
    (g.COUNTS, _Reader.counts),
    (g.STATES, _Reader.states),
    (g.FAILED, _Reader.failed),
    (g.MISSING_RANKS, _Reader.missing_ranks),
    (g.RANK_LIST, _Reader.rank_list),
    (g.BLOCK, _Reader.plain_block),
    (g.MISSING_PROCESSES, _Reader.missing_processes),
    (g.DEAD_PROCESSES, _Reader.dead_processes),
    (g.UNFOUND, _Reader.unfound),
    (g.TIMEOUTS, _Reader.timeouts),
    (g.VERSION, _Reader.version),
    (g.RUNTIME, _Reader.runtime),
    (g.HEADING, _Reader.heading),
    (g.UNDERLINE, _Reader.underline),
    (g.COLLECTION, _Reader.collection),
    (g.TABLE_HEAD, _Reader.table_head),
    (g.TABLE_ROW, _Reader.table_row),
    (g.OUTLIERS, _Reader.note),
    (g.OUTLIER, _Reader.note),
    (g.GROUP_HEAD, _Reader.group_head),
    (g.NO_DATA, _Reader.no_data),
)
