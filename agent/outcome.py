"""How an attempt to dump one process ended, each with a name and a sentence."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Threads = list[dict[str, Any]]
"""py-spy's own thread objects; fields we do not know are kept."""


class Mode(StrEnum):
    """How py-spy reads a process; only nonblocking never stops it."""

    NONBLOCKING = "nonblocking"
    BLOCKING = "blocking"
    NATIVE = "native"


class Reason(StrEnum):
    """Why there is no stack; the first word of a process's `error` (docs/agent-api.md)."""

    GONE = "gone"
    ZOMBIE = "zombie"
    NOT_PYTHON = "not_python"
    STARTING = "starting"
    UNSUPPORTED = "unsupported"
    FORBIDDEN = "forbidden"
    DELETED = "deleted"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    NO_PY_SPY = "no_py_spy"
    FAILED = "failed"


SENTENCES = {
    Reason.GONE: "the process no longer exists; it exited or was killed.",
    Reason.ZOMBIE: "the process has exited, and its parent has not collected it yet.",
    Reason.NOT_PYTHON: "not a Python process; its tasks show what it waits for.",
    Reason.STARTING: "no Python interpreter found in it; it may be starting or ending.",
    Reason.UNSUPPORTED: "this py-spy does not know the process's Python version.",
    Reason.FORBIDDEN: "reading its memory is not permitted; run `rankscope agent --check` there.",
    Reason.DELETED: "its libpython file was deleted or replaced since it started.",
    Reason.TIMEOUT: "py-spy did not finish in time and was stopped.",
    Reason.BUDGET: "not dumped within the time the request allowed.",
    Reason.NO_PY_SPY: "py-spy cannot be started on this node.",
    Reason.FAILED: "py-spy failed.",
}
RETRIED = frozenset({Reason.STARTING, Reason.FAILED})


@dataclass(frozen=True, slots=True)
class Dump:
    """Threads of one process, or the reason why there are none.

    pause_ms is an upper bound of how long the process was stopped: 0 when nonblocking, else the
    time py-spy ran. torn tells that the best of several inconsistent readings was kept.
    """

    mode: Mode = Mode.NONBLOCKING
    threads: Threads | None = None
    reason: Reason | None = None
    detail: str = ""
    pause_ms: float | None = None
    attempts: int = 0
    torn: bool = False

    @property
    def error(self) -> str | None:
        """`reason: sentence`, or None when there are threads."""
        if self.reason is None:
            return None
        return explain(self.reason, self.detail)


def explain(reason: Reason, detail: str = "") -> str:
    """Return the text of a process's `error`."""
    return f"{reason}: {SENTENCES[reason]}" + (f" ({detail})" if detail else "")


# py-spy 0.4's messages; the order matters, since several carry a chain of causes.
_MESSAGES = (
    (r"Unsupported version of Python", Reason.UNSUPPORTED),
    (r"Failed to find python version", Reason.NOT_PYTHON),
    (r"Failed to find a python interpreter", Reason.STARTING),
    (r"Permission [Dd]enied|EPERM|Operation not permitted", Reason.FORBIDDEN),
    (r"No such process|Failed to get process executable name", Reason.GONE),
    (r"No such file or directory", Reason.DELETED),
)


def reason_of(stderr: str) -> Reason:
    """Return the reason that py-spy's error text names."""
    for pattern, reason in _MESSAGES:
        if re.search(pattern, stderr):
            return reason
    return Reason.FAILED


def first_lines(stderr: str) -> str:
    """Return py-spy's message on one line, without a backtrace, cut to 300 characters."""
    return " ".join(stderr.partition("\n\nStack backtrace")[0].split())[:300]
