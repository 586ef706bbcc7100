"""What an NCCL RAS answer says, one model for every version and for both of its formats."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from rankscope.model.capture import NcclOutcome
from rankscope.model.text import Text

Status = Literal["ABORT", "FINALIZE", "RUNNING", "INIT", "NOCOMM"]
STATUSES: tuple[Status, ...] = ("ABORT", "FINALIZE", "RUNNING", "INIT", "NOCOMM")
"""States of a rank; a communicator shows the first of them that any of its ranks has."""

FLAGS = ("INCOMPLETE", "ERROR", "MISMATCH")
"""What a communicator's `Errors` column may hold besides OK, in NCCL's order."""


class Reason(StrEnum):
    """Why there is no whole answer, or why RAS cannot be had; empty when an answer is there."""

    NONE = ""
    NOT_LOADED = "not_loaded"
    TOO_OLD = "too_old"
    DISABLED = "disabled"
    NOT_INITIALISED = "not_initialised"
    DESTROYED = "destroyed"
    JOB_OVER = "job_over"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    UNRESOLVED = "unresolved"
    NOT_RAS = "not_ras"
    FROZEN = "frozen"
    SILENT = "silent"
    CUT = "cut"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    OTHER_JOB = "other_job"
    STARTING = "starting"
    DANGEROUS = "dangerous"
    VERSION_UNKNOWN = "version_unknown"
    OLD_CLIENT = "old_client"
    NO_REPORT = "no_report"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class RasProcess:
    """The process and GPU of one rank; host is an IP of NCCL's bootstrap interface."""

    host: str
    pid: int
    gpu: int | None = None
    nvml: int | None = None


@dataclass(frozen=True, slots=True)
class JobProcess:
    """A process of the job with all its GPUs."""

    host: str
    pid: int
    gpus: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingRank:
    """A rank whose process did not answer; dead is None where the answer does not tell."""

    rank: int
    dead: bool | None
    process: RasProcess | None = None


@dataclass(frozen=True, slots=True)
class CountGroup:
    """Ranks that launched equally many operations; ranks is None where they are not named."""

    value: int
    number: int
    ranks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """Launches of one kind of collective in one communicator, the smallest count first.

    NCCL 2.24 and 2.25 have one total per communicator; its kind is `Collective`.
    """

    kind: str
    groups: tuple[CountGroup, ...]

    @property
    def minimum(self) -> int:
        """Return the smallest count of any rank."""
        return self.groups[0].value

    @property
    def maximum(self) -> int:
        """Return the largest count of any rank."""
        return self.groups[-1].value

    @property
    def is_even(self) -> bool:
        """Whether all ranks have launched the same number."""
        return len(self.groups) == 1


@dataclass(frozen=True, slots=True)
class StateGroup:
    """Ranks in the same state; ranks is None where they are not named."""

    state: str
    number: int
    ranks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """Ranks that reported the same error, while initialising or later (asynchronously).

    error is empty for codes that NCCL counts without a breakdown, such as ncclTimeout (8).
    """

    stage: Literal["init", "async"]
    error: str
    number: int
    ranks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Communicator:
    """One communicator, or `alike` equal ones that a text answer does not name (hash is empty).

    ranks_answered counts members that answered; not_members are ranks that answered but do not
    (yet, or any longer) belong to it. behind holds the named ranks below the largest count,
    behind_unnamed how many more there are. ahead holds ranks above the most common count.
    """

    hash: str
    size: int
    status: str
    errors: tuple[str, ...]
    ranks_answered: int
    secondary_hash: str = ""
    alike: int = 1
    missing: tuple[MissingRank, ...] = ()
    missing_count: int = 0
    not_members: tuple[int, ...] = ()
    not_member_count: int = 0
    states: tuple[StateGroup, ...] = ()
    tallies: tuple[Tally, ...] = ()
    failures: tuple[Failure, ...] = ()
    behind: tuple[int, ...] = ()
    behind_unnamed: int = 0
    ahead: tuple[int, ...] = ()
    diverged: bool = False
    processes: Mapping[int, RasProcess] = field(default_factory=dict)

    @property
    def behind_count(self) -> int:
        """Return how many ranks are behind, named or not."""
        return len(self.behind) + self.behind_unnamed

    @property
    def skewed(self) -> tuple[Tally, ...]:
        """Return the tallies whose counts differ between ranks."""
        return tuple(tally for tally in self.tallies if not tally.is_even)

    def ranks_in(self, state: str) -> tuple[int, int]:
        """Return how many ranks are in a state, and how many of them are named."""
        groups = [group for group in self.states if group.state == state]
        return sum(g.number for g in groups), sum(len(g.ranks or ()) for g in groups)


@dataclass(frozen=True, slots=True)
class JobSummary:
    """The job as RAS sees it; `derived` when summed up from a JSON answer, which has no summary.

    CUDA versions are as NCCL prints them: 12060 is 12.6, -1 is unknown. Times are seconds.
    """

    nodes: int = 0
    processes: int = 0
    gpus: int = 0
    processes_per_node: int | None = None
    gpus_per_process: int | None = None
    derived: bool = False
    cuda_compiled: str = ""
    cuda_runtime: int | None = None
    cuda_driver: int | None = None
    collection_seconds: float | None = None
    timeouts: int = 0


@dataclass(frozen=True, slots=True)
class RasEvent:
    """One event of MONITOR, such as PEER_DEAD; where is NCCL's own description of the peer."""

    time: str
    event: str
    where: str
    details: str = ""


@dataclass(frozen=True, slots=True)
class RasAnswer:
    """An answer, or the lack of one.

    An answer with a sign of a cut or of corruption is not `reliable`; `problems` says which. It
    then holds neither missing nor dead nor counts, since nothing may be concluded from it.
    """

    outcome: NcclOutcome
    reason: Reason = Reason.NONE
    nccl_version: str | None = None
    format: str = ""
    reliable: bool = False
    problems: tuple[Text, ...] = ()
    cautions: tuple[Text, ...] = ()
    job: JobSummary | None = None
    communicators: tuple[Communicator, ...] = ()
    processes_missing: tuple[JobProcess, ...] = ()
    missing_processes: int = 0
    dead: tuple[JobProcess, ...] = ()
    dead_processes: int = 0
    rendezvous_incomplete: bool = False
    taken_at: datetime | None = None
    events: tuple[RasEvent, ...] = ()
    handshake_retries: int = 0
    detail: str = ""
    unknown_lines: tuple[str, ...] = ()
