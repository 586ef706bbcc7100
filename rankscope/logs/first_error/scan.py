"""What one log holds, as far as it matters for the first error."""

from collections import defaultdict
from dataclasses import dataclass, field

from rankscope.logs.first_error.attempts import Attempts
from rankscope.logs.first_error.elastic import Failure
from rankscope.logs.first_error.fault import Fault
from rankscope.logs.first_error.model import Sign
from rankscope.logs.first_error.trail import Trail


@dataclass(slots=True)
class Scan:
    """One log; file is how answers name it.

    restart_steps are the last step before the last restart, and how many were counted until then.
    """

    file: str
    lines: int = 0
    faults: list[Fault] = field(default_factory=list)
    signs: dict[str, list[Sign]] = field(default_factory=lambda: defaultdict(list))
    trail: Trail = field(default_factory=Trail)
    attempts: Attempts = field(default_factory=Attempts)
    failures: list[Failure] = field(default_factory=list)
    workers: set[str] = field(default_factory=set)
    tail: list[str] = field(default_factory=list)
    first_time: float | None = None
    zone: float | None = None
    restart_steps: tuple[str, int] = ("", 0)
    first_after_restart: str = ""
    local_paths: set[str] = field(default_factory=set)
