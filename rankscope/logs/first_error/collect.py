"""Keep the faults of a log, and notice which of them the training survived.

Memory does not grow with the log: those that were survived are dropped first, then those in the
middle.
"""

from rankscope.logs.first_error.fault import Fault, better_link, raised_at_exit, role_of
from rankscope.logs.first_error.model import IGNORED, Line, Role
from rankscope.logs.first_error.rules import Rule, RuleBook
from rankscope.logs.first_error.scan import Scan
from rankscope.logs.first_error.traceback import Raised
from rankscope.logs.first_error.trail import ENOUGH

MOST_FAULTS = 4000
RETRY_LINES = 6
LATER_S = 2.0


class Collector:
    """The faults of one log, in the order of its lines."""

    def __init__(self, scan: Scan, book: RuleBook) -> None:
        self._scan = scan
        self._book = book
        self._chains: dict[str, list[Fault]] = {}
        self._last: dict[str, Fault] = {}
        self.waiting = False  # Whether the next steps tell if a fault was survived.

    def plain(self, line: Line, rule: Rule, found: dict[str, str | None], *, summary: bool) -> None:
        """Take in a line that a rule matched; summary: in the launcher's summary."""
        if rule.role in {Role.RETRY, Role.RECOVERY}:
            self._recover(rule, line)
        elif rule.role not in IGNORED:
            self._keep(self._fault(line, rule, found, summary=summary))

    def raised(self, raised: Raised, line: Line, *, summary: bool) -> None:
        """Take in an exception; one that was raised while another was handled joins its chain."""
        rule, found = self._exception_rule(line.text)
        if rule.role in IGNORED:
            return
        fault = self._fault(line, rule, found, summary=summary)
        fault.frames = raised.frames
        fault.at_exit = raised_at_exit(raised, rule)
        chain = self._chains.get(line.stream)
        if raised.chained and chain:
            self._extend(chain, fault)
        else:
            self._chains[line.stream] = [fault]
            self._keep(fault)

    def step(self, time: float | None) -> None:
        """Take in that a step has ended: what came before it did not end the job."""
        if self.waiting:
            for fault in self._last.values():
                self._survive(fault, time)
            self.waiting = not all(fault.gone_on for fault in self._last.values())

    def drop_survived(self) -> None:
        """Drop the faults after which the training went on."""
        count = self._scan.trail.count
        for fault in self._scan.faults:
            fault.gone_on = fault.gone_on or count - fault.steps >= ENOUGH
        self._scan.faults = [fault for fault in self._scan.faults if not fault.gone_on]

    def _exception_rule(self, text: str) -> tuple[Rule, dict[str, str | None]]:
        match = self._book.first(text)
        if match and match[0].role is not Role.HINT:
            return match[0], match[1].groupdict()
        return self._book["other-exception"], {}

    def _extend(self, chain: list[Fault], fault: Fault) -> None:
        before = better_link(chain)
        chain.append(fault)
        now = better_link(chain)
        faults = self._scan.faults
        if now is not before and before in faults:
            now.order = before.order
            faults[faults.index(before)] = now

    def _fault(
        self, line: Line, rule: Rule, found: dict[str, str | None], *, summary: bool
    ) -> Fault:
        trail = self._scan.trail
        return Fault(
            line=line,
            rule=rule,
            role=role_of(rule, line.text),
            found=found,
            steps=trail.count,
            attempt=self._scan.attempts.count,
            summarised=summary,
            step_time=trail.times[-1][1] if trail.times else None,
        )

    def _keep(self, fault: Fault) -> None:
        fault.order = fault.line.number
        self._scan.faults.append(fault)
        self._last[f"{fault.line.stream} {fault.rule.id}"] = fault
        self.waiting = True
        if len(self._scan.faults) > MOST_FAULTS:
            self.drop_survived()
            del self._scan.faults[MOST_FAULTS // 2 : -MOST_FAULTS // 4]

    def _recover(self, rule: Rule, line: Line) -> None:
        for fault in self._last.values():
            near = line.number - fault.line.number <= RETRY_LINES
            if fault.line.worker == line.worker and (near or rule.role is Role.RECOVERY):
                fault.gone_on = True

    def _survive(self, fault: Fault, time: float | None) -> None:
        steps = self._scan.trail.count - fault.steps
        later = fault.line.time and time and time > fault.line.time + LATER_S
        if steps >= ENOUGH or (steps and later):
            fault.gone_on = True
