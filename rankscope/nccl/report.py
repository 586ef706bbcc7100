"""A RAS text report as printed, before it is judged; only rankscope.nccl.report_text fills it."""

from dataclasses import dataclass, field
from typing import Literal

from rankscope.nccl.model import JobProcess, RasProcess


@dataclass(slots=True)
class ProcessList:
    """N processes are missing or dead; those listed, and how many RAS cannot describe."""

    number: int
    listed: list[JobProcess] = field(default_factory=list)
    unfound: int = 0


@dataclass(slots=True)
class RankList:
    """N ranks share something: a state, a count, an error, or that they are missing.

    what is the state, count or error; cut is set where NCCL's own buffer cut the list.
    """

    what: str
    number: int
    ranks: list[int] = field(default_factory=list)
    cut: bool = False


@dataclass(slots=True)
class FailureBlock:
    """The breakdown of initialisation or asynchronous errors of one communicator."""

    stage: Literal["init", "async"]
    number: int
    groups: list[RankList] = field(default_factory=list)


@dataclass(slots=True)
class CommBlock:
    """All that the Errors and Warnings sections say about one communicator."""

    hash: str
    kinds: list[str] = field(default_factory=list)
    missing: RankList | None = None
    failures: list[FailureBlock] = field(default_factory=list)
    states: list[RankList] | None = None
    tallies: dict[str, list[RankList]] = field(default_factory=dict)
    processes: dict[int, RasProcess] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """One row of the table of communicator groups."""

    number: int
    comms: int
    nodes: int
    ranks_per_node: tuple[int, int]
    size: int
    answered: int
    status: str
    errors: tuple[str, ...]


@dataclass(slots=True)
class TextReport:
    """A report as printed.

    misplaced_lines are known, but not in that place; partial_line is a last line cut in the middle.
    """

    product: str = ""
    version: str | None = None
    compiled: str = ""
    runtime: int | None = None
    driver: int | None = None
    headings: list[str] = field(default_factory=list)
    underlines: int = 0
    tables: list[list[tuple[int, ...]]] = field(default_factory=list)
    seconds: float | None = None
    no_data: bool = False
    table_shown: bool = False
    rows: list[GroupRow] = field(default_factory=list)
    missing: ProcessList | None = None
    dead: ProcessList | None = None
    timeouts: int = 0
    blocks: dict[tuple[int, int], CommBlock] = field(default_factory=dict)
    ends_midline: bool = False
    partial_line: str = ""
    unknown_lines: list[str] = field(default_factory=list)
    misplaced_lines: list[str] = field(default_factory=list)
