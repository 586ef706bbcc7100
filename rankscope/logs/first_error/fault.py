"""A line that may be the first error, while its log is still being read."""

import re
from dataclasses import dataclass

from rankscope.logs.first_error.model import CAUSES, Frame, Line, Role
from rankscope.logs.first_error.origin import in_library
from rankscope.logs.first_error.rules import Rule
from rankscope.logs.first_error.traceback import Raised

_VARIABLE = re.compile(r"0x[0-9a-f]+|\d+")
_QUIET = re.compile(r"^.{0,60}?\b(?:INFO|DEBUG|WARN|WARNING)\b(?! \S*NCCL)")
_NCCL = re.compile(r"\bNCCL WARN\b")


@dataclass(slots=True)
class Fault:
    """What a rule found in a line, or the line of an exception that no rule knows."""

    line: Line
    rule: Rule
    role: Role
    found: dict[str, str | None]
    steps: int
    attempt: int
    frames: tuple[Frame, ...] = ()
    at_exit: bool = False
    gone_on: bool = False
    summarised: bool = False
    step_time: float | None = None
    order: int = 0

    @property
    def kind(self) -> tuple[str, str]:
        """Return what faults of several ranks have in common when they are the same."""
        return self.rule.id, _VARIABLE.sub("#", self.line.text)

    @property
    def is_cause(self) -> bool:
        """Whether it may be a cause."""
        return self.role in CAUSES and not self.at_exit


def role_of(rule: Rule, text: str) -> Role:
    """Return a line's role; below the level of an error a cause is only a hint.

    NCCL prints what matters as WARN, and the kernel and schedulers have levels of their own.
    """
    quiet = _QUIET.search(text) and not _NCCL.search(text) and rule.layer != "platform"
    return Role.HINT if quiet and rule.role in CAUSES else rule.role


def better_link(links: list[Fault]) -> Fault:
    """Return the exception of a chain that tells the cause: the first, unless it says little.

    A first exception that any code may raise, inside a library, is often how that library looks
    something up; then a later one with a known pattern counts.
    """
    first = links[0]
    if first.role is Role.ROOT:
        return first
    specific = (link for link in links if link.role is Role.ROOT)
    if first.role is Role.WEAK_ROOT and not in_library(first.frames):
        return first
    causes = (link for link in links if link.role in CAUSES)
    return next(specific, next(causes, first))


def raised_at_exit(raised: Raised, rule: Rule) -> bool:
    """Whether an exception was raised while its process was ending."""
    return raised.at_exit and rule.role is not Role.ROOT
