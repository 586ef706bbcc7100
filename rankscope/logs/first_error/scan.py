"""Read one log from its first block to its last and keep what may matter.

Memory does not grow with the log: blocks are forgotten, faults are limited, and those after which
the training went on are dropped first.
"""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from rankscope.logs.first_error.attempts import Attempts
from rankscope.logs.first_error.elastic import ElasticSummary, Failure
from rankscope.logs.first_error.fault import Fault, better_link, raised_at_exit, role_of
from rankscope.logs.first_error.model import IGNORED, Line, Role, Sign
from rankscope.logs.first_error.prefix import last_piece, read_lines
from rankscope.logs.first_error.rules import Rule, RuleBook
from rankscope.logs.first_error.sieve import Sieve
from rankscope.logs.first_error.traceback import Raised, Tracebacks
from rankscope.logs.first_error.trail import ENOUGH, REMEMBERED, Trail, step_of

MOST_FAULTS = 4000
LONGEST_LINE = 1 << 20
RETRY_LINES = 6
TAIL = 20
_HEAD = 200
_TAIL_BYTES = 8192
_PATH = re.compile(r"(?<![\w/.])/(?:tmp|root|workspace)/[\w./+-]+")
_OUTPUT = re.compile(r"(?i)output|sav(?:e|ing)|checkpoint|logdir|log_dir|tensorboard|result|written")


@dataclass(slots=True)
class Scan:
    """What one log holds."""

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
    restart_steps: tuple[str, int] = ("", 0)
    first_after_restart: str = ""
    local_paths: set[str] = field(default_factory=set)


class Scanner:
    """Takes the blocks of one log."""

    def __init__(self, file: str, book: RuleBook) -> None:
        self.scan = Scan(file)
        self._book = book
        self._sieve = Sieve(book)
        self._carry = b""
        self._tracebacks: dict[str, Tracebacks] = defaultdict(Tracebacks)
        self._summaries: dict[str, ElasticSummary] = defaultdict(ElasticSummary)
        self._chains: dict[str, list[Fault]] = {}
        self._last: dict[str, Fault] = {}
        self._busy: set[str] = set()
        self._waiting = False
        self._ending = b""
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
        self._drop_gone_on()
        ending = self._ending.split(b"\n")[-TAIL:]
        self.scan.tail = [line.text for raw in ending for line in read_lines(0, raw)]
        return self.scan

    def _block(self, block: bytes) -> None:
        lines: list[bytes] | None = None
        index = 0
        for hit in self._sieve.sift(block):
            lines = block.split(b"\n") if lines is None else lines
            while self._busy and index < hit.index:
                self._read(index, lines[index], ())
                index += 1
            if hit.is_step and not self._busy:
                self._step(hit.index, lines[hit.index])
            else:
                self._read(hit.index, lines[hit.index], hit.rules)
            index = hit.index + 1
        if self._busy:
            lines = block.split(b"\n") if lines is None else lines
            while self._busy and index < len(lines):
                self._read(index, lines[index], ())
                index += 1
        self._ending = block[-_TAIL_BYTES:]

    def _step(self, index: int, raw: bytes) -> None:
        """Put a step aside: its number matters only when an error is before or after it."""
        self._steps.append((self.scan.lines + index + 1, raw))
        if self._waiting or not self.scan.trail.first:
            self._count_steps()

    def _count_steps(self) -> None:
        while self._steps:
            number, raw = self._steps.popleft()
            first = raw.partition(b"\r")[0]
            # The time stands before the first piece, the last step in the last.
            line = replace(next(read_lines(number, first[:_HEAD])), text=last_piece(raw))
            self._maybe_step(line)

    def _read(self, index: int, raw: bytes, rules: tuple[Rule, ...]) -> None:
        for line in read_lines(self.scan.lines + index + 1, raw):
            self._count_steps()
            if line.worker:
                self.scan.workers.add(line.worker)
            if self.scan.first_time is None:
                self.scan.first_time = line.time
            self._line(line, rules)

    def _line(self, line: Line, rules: tuple[Rule, ...]) -> None:
        summary = self._summaries[line.stream]
        if summary.busy:
            failure = summary.take(line.text, line.worker)
            if failure:
                self.scan.failures.append(failure)
        taken = self._tracebacks[line.stream].take(line)
        if isinstance(taken, Raised):
            self._raised(taken)
        elif not taken:
            self._signs(line, rules)
            self._plain(line, rules)
        busy = self._tracebacks[line.stream].busy or summary.busy
        (self._busy.add if busy else self._busy.discard)(line.stream)

    def _signs(self, line: Line, rules: tuple[Rule, ...]) -> None:
        for rule in rules:
            found = rule.pattern.search(line.text) if rule.role is Role.SIGNAL else None
            if found:
                groups = {k: v for k, v in found.groupdict().items() if v}
                self._sign(rule.id, Sign(name=rule.id, line=line, found=groups))
        if _OUTPUT.search(line.text):
            self.scan.local_paths.update(_PATH.findall(line.text)[:4])
        self._maybe_step(line)

    def _sign(self, name: str, sign: Sign) -> None:
        kept = self.scan.signs[name]
        kept.append(sign)
        if len(kept) > 2 * TAIL:
            del kept[TAIL]
        attempts, line = self.scan.attempts, sign.line
        count = attempts.count
        if name == "check-finished":
            attempts.finished(line.number, line.worker)
        elif name == "check-begun":
            attempts.check_line(line.number, line.worker)
        elif name == "attempt-restarted":
            attempts.restarted(line.number)
        if attempts.count > count:
            self.scan.restart_steps = (self.scan.trail.last, self.scan.trail.count)
            self.scan.first_after_restart = ""
            self._waiting = True

    def _maybe_step(self, line: Line) -> None:
        number = step_of(line.text)
        if number:
            self.scan.trail.step(number, line.time)
            if self.scan.attempts.count > 1 and not self.scan.first_after_restart:
                self.scan.first_after_restart = number
            if self._waiting:
                self._waiting = any([self._goes_on(f, line) for f in self._last.values()])

    def _goes_on(self, fault: Fault, line: Line) -> bool:
        """Note a step after a fault; whether more would say more."""
        steps = self.scan.trail.count - fault.steps
        late = fault.line.time and line.time and line.time > fault.line.time + 2
        if steps >= ENOUGH or (steps and late):
            fault.gone_on = True
        return not fault.gone_on

    def _plain(self, line: Line, rules: tuple[Rule, ...]) -> None:
        match = self._book.first(line.text, rules)
        if match is None:
            return
        rule, found = match
        if rule.id == "harmless-shutdown":
            self._tracebacks[line.stream].at_exit_follows(line)
        if rule.role in {Role.RETRY, Role.RECOVERY}:
            self._recover(rule, line)
        if rule.role not in IGNORED:
            self._keep(self._fault(line, rule, found.groupdict()))
        if "ChildFailedError" in line.text:
            self._summaries[line.stream].begin()

    def _recover(self, rule: Rule, line: Line) -> None:
        for fault in self._last.values():
            near = line.number - fault.line.number <= RETRY_LINES
            if fault.line.worker == line.worker and (near or rule.role is Role.RECOVERY):
                fault.gone_on = True

    def _raised(self, raised: Raised) -> None:
        line = raised.line
        text = raised.text
        rule, groups = self._exception_rule(text)
        if rule.role in IGNORED:
            return
        fault = self._fault(Line(
            line.number, text, line.worker, line.stream, line.rank, line.local, line.time
        ), rule, groups)
        fault.frames = raised.frames
        fault.at_exit = raised_at_exit(raised, rule)
        chain = self._chains.get(line.stream)
        if raised.chained and chain:
            self._extend(chain, fault)
        else:
            self._chains[line.stream] = [fault]
            self._keep(fault)
        if "ChildFailedError" in text:
            self._summaries[line.stream].begin()

    def _exception_rule(self, text: str) -> tuple[Rule, dict[str, str | None]]:
        match = self._book.first(text)
        if match and match[0].role is not Role.HINT:
            return match[0], match[1].groupdict()
        return self._book["other-exception"], {}

    def _extend(self, chain: list[Fault], fault: Fault) -> None:
        before = better_link(chain)
        chain.append(fault)
        now = better_link(chain)
        faults = self.scan.faults
        if now is not before and before in faults:
            now.order = before.order
            faults[faults.index(before)] = now

    def _fault(self, line: Line, rule: Rule, found: dict[str, str | None]) -> Fault:
        trail = self.scan.trail
        return Fault(
            line=line,
            rule=rule,
            role=role_of(rule, line.text),
            found=found,
            steps=trail.count,
            attempt=self.scan.attempts.count,
            summarised=self._summaries[line.stream].busy,
            step_time=trail.times[-1][1] if trail.times else None,
        )

    def _keep(self, fault: Fault) -> None:
        fault.order = fault.line.number
        self.scan.faults.append(fault)
        self._last[fault.line.stream + fault.rule.id] = fault
        self._waiting = True
        if len(self.scan.faults) > MOST_FAULTS:
            self._drop_gone_on()
            del self.scan.faults[MOST_FAULTS // 2 : -MOST_FAULTS // 4]

    def _drop_gone_on(self) -> None:
        """Drop the faults after which the training went on."""
        trail = self.scan.trail
        for fault in self.scan.faults:
            fault.gone_on = fault.gone_on or trail.count - fault.steps >= ENOUGH
        self.scan.faults = [fault for fault in self.scan.faults if not fault.gone_on]


def scan_blocks(file: str, blocks: Iterable[bytes], book: RuleBook) -> Scan:
    """Read a whole log; file is how the answer names it."""
    scanner = Scanner(file, book)
    for block in blocks:
        scanner.feed(block)
    return scanner.finish()
