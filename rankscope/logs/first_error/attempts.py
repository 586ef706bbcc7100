"""Which part of a log belongs to the last attempt, worker by worker.

The environment check ends with `Bootcheck Finished` or `Check Finished`; what the start command
prints comes after. A job that is restarted runs the check again, so the last such line counts. Only
the platform may fail before it. Launchers that restart workers themselves say so in a line.
"""

from dataclasses import dataclass, field

SAME_RESTART = 40


@dataclass(slots=True)
class _Begin:
    """Where the last attempt of one worker begins: its check, and what runs after the check."""

    check: int = 0
    run: int = 0


@dataclass(slots=True)
class Attempts:
    """Follows the attempts of one file; lines are numbers."""

    count: int = 1
    check_begun: bool = False
    checked: bool = False
    _all: _Begin = field(default_factory=_Begin)
    _workers: dict[str, _Begin] = field(default_factory=dict)
    _finished: set[str] = field(default_factory=set)

    def check_line(self, line: int, worker: str) -> bool:
        """Take in a line of the check; whether it begins another attempt."""
        self.check_begun = True
        return self._anew(line) if worker in self._finished else False

    def finished(self, line: int, worker: str) -> bool:
        """Take in the end of a worker's check; whether it begins another attempt."""
        anew = self._anew(line) if worker in self._finished else False
        if not self._finished:
            self._all.run = line
        self.checked = True
        self._finished.add(worker)
        self._workers[worker] = _Begin(self._all.check, line)
        return anew

    def restarted(self, line: int) -> bool:
        """Take in a launcher's or the platform's line that the job starts again."""
        anew = self._anew(line)
        self._all.run = line
        return anew

    def _anew(self, line: int) -> bool:
        # A restart that was announced a moment ago is the same one.
        again = not self._finished and 0 < self._all.check >= line - SAME_RESTART
        self.count += not again
        if not again:
            self._all = _Begin(line, line)
        self._finished.clear()
        self._workers.clear()
        return not again

    def holds(self, line: int, worker: str, *, platform: bool) -> bool:
        """Whether an error in a line counts for the last attempt."""
        begin = self._workers.get(worker, self._all)
        return line > (begin.check - 1 if platform else begin.run)

    @property
    def began(self) -> int:
        """Return the line at which the last attempt begins, 0 for the first."""
        return self._all.check
