"""Put Python tracebacks together again, one writer at a time.

Lines of several ranks may be mixed in one file, and two tracebacks of one stream in each other. An
exception chain is one error: its first exception is usually the cause, the later ones happened
while it was handled.
"""

import re
from collections import deque
from dataclasses import dataclass, field

from rankscope.logs.first_error.model import Frame, Line

PATIENCE = 200
MOST_FRAMES = 100
# Blank lines and a phrase stand between the exceptions of a chain.
CHAIN_GAP = 12
_START = re.compile(r"(?:Exception Group )?Traceback \(most recent call last\)")
_FRAME = re.compile(r'^[\s|+│]*File "(?P<path>[^"]+)", line (?P<line>\d+)(?:, in (?P<name>.+))?')
_CHAIN = re.compile(
    r"During handling of the above exception|The above exception was the direct cause"
)
_EXCEPTION = re.compile(
    r"^(?:[A-Za-z_]\w*\.)*(?:\w*(?:Error|Exception|Exit|Interrupt|Expired|Timeout|Failure|Fault"
    r"|Failed|Warning|Empty|Full|NotFound|Signal|Killed|Group|Mismatch|Abort\w*)\w*)"
    r"(?:\([^)]*\))?(?::|\s*$)"
)
_LOOSE = re.compile(r"^(?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?::\s|\s*$)")
_BOX = re.compile(r"^[\s|+│╭╰─-]*")
_AT_EXIT = re.compile(
    r"^(?:__del__|__exit_|_run_finalizers|_exit_function|destroy_process_group|_shutdown\w*"
    r"|shutdown\w*|_cleanup\w*|_python_exit|_run_exitfuncs|_call_connection_lost)$"
)


@dataclass(slots=True)
class Raised:
    """An exception with the frames above it."""

    line: Line
    text: str
    frames: tuple[Frame, ...]
    at_exit: bool = False
    chained: bool = False


@dataclass(slots=True)
class _Open:
    indent: int
    chained: bool
    at_exit: bool
    frames: list[Frame] = field(default_factory=list)
    patience: int = PATIENCE


class Tracebacks:
    """The tracebacks of one stream."""

    def __init__(self) -> None:
        self._open: deque[_Open] = deque()
        self._chain_until = 0
        self._exit_until = 0
        self._after_frame = False

    @property
    def busy(self) -> bool:
        """Whether the next line of the stream must be seen."""
        return bool(self._open)

    def at_exit_follows(self, line: Line) -> None:
        """Take in a line such as `Exception ignored in`: the traceback below does not count."""
        self._exit_until = line.number + 2

    def take(self, line: Line) -> Raised | bool:
        """Take in a line: an exception it completes, or whether it belongs to a traceback."""
        text = line.text
        if _CHAIN.search(text):
            self._chain_until = line.number + CHAIN_GAP * (1 + len(self._open))
            return True
        start = _START.search(text)
        if start:
            self._begin(line, text)
            return True
        return self._inside(line, text) if self._open else False

    def _begin(self, line: Line, text: str) -> None:
        chained = line.number <= self._chain_until
        self._chain_until = 0
        indent = len(text) - len(text.lstrip()) if _START.match(text.lstrip(" |+│╭─")) else 0
        if "traceback :" in text:
            indent = len(text) - len(text.lstrip())
        self._open.append(_Open(indent, chained, line.number <= self._exit_until))

    def _inside(self, line: Line, text: str) -> Raised | bool:
        current = self._open[0]
        frame = _FRAME.match(text)
        if frame:
            self._frame(self._open[-1], frame)
            return True
        bare = _BOX.sub("", text)
        indent = len(text) - len(text.lstrip())
        if bare and indent <= current.indent and self._is_exception(bare):
            return self._close(line, bare)
        self._after_frame = self._after_frame and indent > current.indent
        if not bare or indent > current.indent or text[:1] in "│╭╰|":
            return True
        current.patience -= 1
        if current.patience <= 0:
            self._open.popleft()
        return False

    def _frame(self, current: _Open, frame: re.Match[str]) -> None:
        if len(current.frames) >= MOST_FRAMES:
            del current.frames[MOST_FRAMES // 2]
        name = (frame["name"] or "").strip()
        current.frames.append(Frame(frame["path"], int(frame["line"]), name))
        self._after_frame = True

    def _is_exception(self, text: str) -> bool:
        if _EXCEPTION.match(text):
            return True
        name = text.partition(":")[0]
        return self._after_frame and not name.isupper() and _LOOSE.match(text) is not None

    def _close(self, line: Line, text: str) -> Raised:
        done = self._open.popleft()
        self._after_frame = False
        at_exit = done.at_exit or any(_AT_EXIT.match(f.function) for f in done.frames)
        return Raised(line, text, tuple(done.frames), at_exit, done.chained)
