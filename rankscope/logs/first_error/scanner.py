"""Read one log from its first block to its last and keep what may matter.

Blocks are forgotten once they are read, so a log may be of any size.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import replace

from rankscope.logs.first_error.collect import Collector
from rankscope.logs.first_error.elastic import ElasticSummary
from rankscope.logs.first_error.model import Line, Role, Sign
from rankscope.logs.first_error.prefix import last_line, last_piece, read_lines
from rankscope.logs.first_error.rules import Rule, RuleBook
from rankscope.logs.first_error.scan import Scan
from rankscope.logs.first_error.sieve import Sieve
from rankscope.logs.first_error.traceback import Raised, Tracebacks
from rankscope.logs.first_error.trail import REMEMBERED, may_step, step_of

LEVEL = "logger-error"
"""The rule for what its own writer calls an error."""
LONGEST_LINE = 1 << 20
TAIL = 20
MOST_SIGNS = 40
_TAIL_BYTES = 8192
_HEAD = 200
_PATH = re.compile(r"(?<![\w/.])/(?:tmp|root|workspace)/[\w./+-]+")
_OUTPUT = re.compile(r"(?i)output|sav(?:e|ing)|checkpoint|log_?dir|tensorboard|result|written")


class Scanner:
    """Takes the blocks of one log."""

    def __init__(self, file: str, book: RuleBook) -> None:
        self.scan = Scan(file)
        self._book = book
        self._sieve = Sieve(book)
        self._faults = Collector(self.scan, book)
        self._carry = b""
        self._ending = b""
        self._tracebacks: dict[str, Tracebacks] = defaultdict(Tracebacks)
        self._summaries: dict[str, ElasticSummary] = defaultdict(ElasticSummary)
        self._busy: set[str] = set()
        self._steps: deque[tuple[int, bytes]] = deque(maxlen=REMEMBERED)

    def feed(self, block: bytes) -> None:
        """Take in the next bytes, however they are cut."""
        whole, newline, rest = (self._carry + block).rpartition(b"\n")
        if newline:
            self._block(whole)
            self.scan.lines += whole.count(b"\n") + 1
        self._carry = rest
        while len(self._carry) > LONGEST_LINE:
            cut = self._carry.rfind(b"\r", 1, LONGEST_LINE)
            cut = cut if cut > 0 else LONGEST_LINE
            self._block(self._carry[:cut])
            self._carry = self._carry[cut:]

    def finish(self) -> Scan:
        """Return what was found; nothing may be fed afterwards."""
        if self._carry:
            self._block(self._carry)
            self.scan.lines += 1
        self._count_steps()
        self._faults.drop_survived()
        self.scan.tail = [last_line(raw) for raw in self._ending.split(b"\n")[-TAIL:]]
        return self.scan

    def _block(self, block: bytes) -> None:
        hits = self._sieve.sift(block)
        if hits or self._busy:
            lines = block.split(b"\n")
            index = 0
            for hit in hits:
                index = self._read_while_busy(lines, index, hit.index)
                if hit.is_step and not self._busy:
                    self._step(hit.index, lines[hit.index])
                else:
                    self._read(hit.index, lines[hit.index], hit.rules)
                index = hit.index + 1
            self._read_while_busy(lines, index, len(lines))
        short = len(block) < _TAIL_BYTES
        self._ending = (self._ending + b"\n" + block if short else block)[-_TAIL_BYTES:]

    def _read_while_busy(self, lines: list[bytes], index: int, end: int) -> int:
        """Read the lines of an open traceback or summary, whatever they look like."""
        while self._busy and index < end:
            self._read(index, lines[index], ())
            index += 1
        return index

    def _step(self, index: int, raw: bytes) -> None:
        """Put a step aside: its number matters only when an error is before or after it."""
        self._steps.append((self.scan.lines + index + 1, raw))
        if self._faults.waiting or not self.scan.trail.first:
            self._count_steps()

    def _count_steps(self) -> None:
        while self._steps:
            number, raw = self._steps.popleft()
            first = raw.partition(b"\r")[0]
            # The time stands before the first piece, the last step in the last.
            line = replace(next(read_lines(number, first[:_HEAD])), text=last_piece(raw))
            self._maybe_step(line)

    def _maybe_step(self, line: Line) -> None:
        number = step_of(line.text)
        if number:
            self.scan.trail.step(number, line.time)
            if self.scan.attempts.count > 1 and not self.scan.first_after_restart:
                self.scan.first_after_restart = number
            self._faults.step(line.time)

    def _read(self, index: int, raw: bytes, rules: tuple[Rule, ...]) -> None:
        self._count_steps()
        for line in read_lines(self.scan.lines + index + 1, raw):
            if line.worker:
                self.scan.workers.add(line.worker)
            if self.scan.first_time is None:
                self.scan.first_time, self.scan.zone = line.time, line.zone
            self._line(line, rules)

    def _line(self, line: Line, rules: tuple[Rule, ...]) -> None:
        summary, tracebacks = self._summaries[line.stream], self._tracebacks[line.stream]
        failure = summary.take(line.text, line.worker) if summary.busy else None
        if failure:
            self.scan.failures.append(failure)
        taken = tracebacks.take(line)
        if isinstance(taken, Raised):
            line = replace(line, text=taken.text)
            self._faults.raised(taken, line, summary=summary.busy)
        elif not taken:
            self._signs(line, rules)
            self._plain(line, rules)
        if "ChildFailedError" in line.text:
            summary.begin()
        busy = tracebacks.busy or summary.busy
        (self._busy.add if busy else self._busy.discard)(line.stream)

    def _plain(self, line: Line, rules: tuple[Rule, ...]) -> None:
        match = self._book.first(line.text, rules)
        said = [rule for rule in rules if rule.id == LEVEL] if line.failed else []
        if match or said:
            rule, found = (match[0], match[1].groupdict()) if match else (said[0], {})
            if rule.id == "harmless-shutdown":
                self._tracebacks[line.stream].at_exit_follows(line)
            summary = self._summaries[line.stream].busy
            self._faults.plain(line, rule, found, summary=summary)

    def _signs(self, line: Line, rules: tuple[Rule, ...]) -> None:
        for rule in rules:
            found = rule.pattern.search(line.text) if rule.role is Role.SIGNAL else None
            if found:
                groups = {name: value for name, value in found.groupdict().items() if value}
                self._sign(Sign(name=rule.id, line=line, found=groups))
        if _OUTPUT.search(line.text):
            self.scan.local_paths.update(_PATH.findall(line.text)[:4])
        if may_step(line.text.lower().encode()):
            self._maybe_step(line)

    def _sign(self, sign: Sign) -> None:
        kept = self.scan.signs[sign.name]
        kept.append(sign)
        if len(kept) > MOST_SIGNS:
            del kept[MOST_SIGNS // 2]
        if self._begins_anew(sign):
            self.scan.restart_steps = (self.scan.trail.last, self.scan.trail.count)
            self.scan.first_after_restart = ""

    def _begins_anew(self, sign: Sign) -> bool:
        attempts, line = self.scan.attempts, sign.line
        if sign.name == "check-finished":
            return attempts.finished(line.number, line.worker)
        if sign.name == "check-begun":
            return attempts.check_line(line.number, line.worker)
        return sign.name == "attempt-restarted" and attempts.restarted(line.number)


def scan_blocks(file: str, blocks: Iterable[bytes], book: RuleBook) -> Scan:
    """Read a whole log; file is how the answer names it."""
    scanner = Scanner(file, book)
    for block in blocks:
        scanner.feed(block)
    return scanner.finish()
