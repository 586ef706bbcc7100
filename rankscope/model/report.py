"""The analysis of a capture, in the shape `rankscope analyze --json` prints (docs/cli.md)."""

from dataclasses import dataclass
from typing import Literal

from rankscope.model.text import Language, Text

Confidence = Literal["high", "medium", "low"]
Progress = Literal["frozen", "moving", "unknown"]


@dataclass(frozen=True, slots=True)
class Summary:
    """Which job and which capture; analysis_time reads `YYYY-MM-DD HH:MM:SS (UTC)`."""

    job_id: str
    analysis_time: str
    print_id: str
    ranks_expected: int | None
    ranks_seen: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the capture shows as a whole; `pattern` is a stable short name."""

    pattern: str
    confidence: Confidence
    progress: Progress
    text: Text


@dataclass(frozen=True, slots=True)
class Suspect:
    """A rank the others wait for; never without a reason. score is between 0 and 1.

    where is its call site, as `name (file:line)`; thread is the name of the thread to look at when
    that is not the main one. Both are empty when unknown.
    """

    rank: int
    node: str
    score: float
    reasons: tuple[Text, ...]
    where: str = ""
    thread: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Ranks whose trainer is at the same call site; ranks are compressed, as in `0-1,3-7`.

    frames run from the innermost to the outermost, as `name (file:line)`.
    """

    label: str
    ranks: str
    count: int
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionStatistics:
    """One entry of Function Call Statistics; sources are `<node>-rank<N>`."""

    function: str
    location: str
    call_count: int
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MissingRank:
    """A rank (or a whole node, then rank is None) without a usable stack, and why.

    reason is what the capture says, or our own sentence in English; text is that sentence in both
    languages, None where the words are the capture's.
    """

    rank: int | None
    node: str | None
    reason: str
    text: Text | None = None

    def why(self, language: Language) -> str:
        """Return the reason in a reader's language, as far as there is one."""
        return self.text.of(language) if self.text else self.reason


@dataclass(frozen=True, slots=True)
class NcclRank:
    """A rank of a communicator: its global number where known, else only its number therein.

    node is the capture's name of the node, or the host's address; dead is None where NCCL does not
    say whether the rank's process is dead or only silent.
    """

    rank: int | None
    local: int
    node: str = ""
    dead: bool | None = None


@dataclass(frozen=True, slots=True)
class NcclCommunicator:
    """A communicator as NCCL RAS shows it; text says what is wrong with it, None when nothing is.

    alike counts equal communicators that a text answer does not name; hash is then empty.
    """

    hash: str
    size: int
    status: str
    errors: tuple[str, ...] = ()
    ranks_answered: int = 0
    behind: tuple[NcclRank, ...] = ()
    behind_count: int = 0
    missing: tuple[NcclRank, ...] = ()
    missing_count: int = 0
    alike: int = 1
    text: Text | None = None


@dataclass(frozen=True, slots=True)
class NcclStatus:
    """What the report says about NCCL (docs/nccl.md); communicators are the worst ones first.

    text is one line for a card. reliable is False for a damaged answer and where there is none;
    progress is `unknown` unless two answers could be compared.
    """

    outcome: str
    nccl_version: str | None
    text: Text
    kind: str = ""
    progress: Progress = "unknown"
    reliable: bool = False
    communicators: tuple[NcclCommunicator, ...] = ()
    more_communicators: int = 0
    seen: tuple[Text, ...] = ()
    not_meant: tuple[Text, ...] = ()
    next_steps: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """One rank's trainer for a look beside another's; frames run from the outermost inwards."""

    rank: int
    node: str
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The first suspect beside a rank that only waits; shared counts equal outermost frames."""

    suspect: Side
    control: Side
    shared: int


@dataclass(frozen=True, slots=True)
class Report:
    """Everything a reader needs about one capture; empty suspects mean that nobody can be named."""

    summary: Summary
    verdict: Verdict
    suspects: tuple[Suspect, ...]
    groups: tuple[Group, ...]
    functions: tuple[FunctionStatistics, ...]
    missing: tuple[MissingRank, ...]
    cautions: tuple[Text, ...]
    next_steps: tuple[Text, ...]
    nccl: NcclStatus | None = None
    side_by_side: SideBySide | None = None


RankChange = Literal["frozen", "moved", "new", "gone", "unknown"]


@dataclass(frozen=True, slots=True)
class ThreadComparison:
    """One thread of a rank's trainer beside the main one; before and after as for a rank."""

    name: str
    change: RankChange
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class RankComparison:
    """One rank in two captures; before and after are `name (file:line)`, empty when absent.

    `unknown` is a rank without a stack in one or both captures that is neither new nor gone;
    reason says why there is none. threads leaves out those that wait by design.
    """

    rank: int
    node: str
    change: RankChange
    before: str
    after: str
    reason: Text | None = None
    threads: tuple[ThreadComparison, ...] = ()


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """A group of ranks at one call site that is not the same in both captures.

    came and left are compressed ranks; waits tells whether ranks wait there for other ranks.
    """

    label: str
    before: int
    after: int
    came: str
    left: str
    waits: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two captures of one job, rank by rank and group by group, the most changed group first."""

    job_id: str
    before: str
    after: str
    ranks: tuple[RankComparison, ...]
    text: Text
    groups: tuple[GroupComparison, ...] = ()
