"""What is known about a line, an error and the answer; frozen, no behaviour."""

from dataclasses import dataclass, field
from enum import StrEnum

from rankscope.model.text import Text


class Layer(StrEnum):
    """Whose error it is; empty when the line alone cannot tell, as with a timeout of NCCL."""

    PLATFORM = "platform"
    IMAGE = "image"
    CODE = "code"
    COMMAND = "command"
    NONE = ""


class Role(StrEnum):
    """What a matching line means for the question what failed first.

    A `root` names a cause; a `weak_root` too, but the same text often follows another failure. A
    `confirmation` explains a symptom that was printed before it. A `symptom` shows that something
    failed earlier or elsewhere. A `hint` counts when nothing better was found. `cascade`, `wrapper`
    and `teardown` are consequences. `harmless` lines only look like errors; `retry` and `recovery`
    say that the error before them did not end the job. A `signal` is no error at all.
    """

    ROOT = "root"
    WEAK_ROOT = "weak_root"
    CONFIRMATION = "confirmation"
    SYMPTOM = "symptom"
    HINT = "hint"
    CASCADE = "cascade"
    WRAPPER = "wrapper"
    TEARDOWN = "teardown"
    HARMLESS = "harmless"
    RETRY = "retry"
    RECOVERY = "recovery"
    SIGNAL = "signal"


CAUSES = frozenset({Role.ROOT, Role.WEAK_ROOT, Role.CONFIRMATION})
CONSEQUENCES = frozenset({Role.CASCADE, Role.WRAPPER, Role.TEARDOWN})
IGNORED = frozenset({Role.HARMLESS, Role.RETRY, Role.RECOVERY, Role.SIGNAL})


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log without its prefix; number counts from 1.

    stream tells writers apart that share a file; time is seconds of the writer's own clock, None
    when the line carries none; zone is by how many seconds that clock is ahead of UTC, None when it
    does not say. rank is global, local the rank on its node. failed: the writer itself calls it an
    error, as by the level of a JSON record.
    """

    number: int
    text: str
    worker: str = ""
    stream: str = ""
    rank: int | None = None
    local: int | None = None
    time: float | None = None
    zone: float | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of a Python traceback."""

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A line that a signal rule matched: the environment check, a banner, a checkpoint."""

    name: str
    line: Line
    found: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Error:
    """A possible first error, as the answer shows it; text is the line without its prefix.

    where is the innermost frame of the user's own code, as `file:line function`.
    """

    file: str
    line: int
    text: str
    rank: int | None
    worker: str
    layer: Layer
    rule: str
    role: Role
    advice: Text
    where: str = ""
    phase: str = ""
    ranks: int = 1
    time: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """A line that follows from another failure; count says how often its kind was seen."""

    file: str
    line: int
    text: str
    rank: int | None
    rule: str
    role: Role
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the logs tell beside errors, for the triage; step numbers are as printed."""

    checked: bool = False
    check_begun: bool = False
    command_ran: bool = False
    banner: bool = False
    stepped: bool = False
    ended: bool = False
    ended_after_error: bool = False
    attempts: int = 1
    last_step: int | None = None
    step_before_restart: int | None = None
    first_step_after_restart: int | None = None
    loaded_checkpoint: str = ""
    loaded_step: int | None = None
    started_fresh: bool = False
    seconds_to_error: float | None = None
    local_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The first error of a job's logs, and what follows from it.

    first_error is None when no line of the last attempt looks like a cause, a symptom or a hint.
    certain is False when only a hint, a wrapper or a symptom was found. notes say what a reader
    must know about the answer. absent holds the ranks that reported no timeout while others did.
    """

    first_error: Error | None
    second: Error | None
    consequences: tuple[Consequence, ...]
    consequence_count: int
    certain: bool
    notes: tuple[Text, ...]
    absent: tuple[int, ...]
    evidence: Evidence
