"""From what the logs hold to the answer a person reads."""

from collections.abc import Iterable, Mapping, Sequence

from rankscope.logs.first_error.choose import Choice, Placed, choose
from rankscope.logs.first_error.evidence import evidence
from rankscope.logs.first_error.model import (
    CAUSES,
    Answer,
    Consequence,
    Error,
    Layer,
    Role,
)
from rankscope.logs.first_error.origin import layer_of, own_frame, site
from rankscope.logs.first_error.prefix import number_of
from rankscope.logs.first_error.rules import RuleBook, default_rules
from rankscope.logs.first_error.scan import Scan
from rankscope.logs.first_error.scanner import scan_blocks
from rankscope.model.text import Text
from rankscope.text import say

LONGEST_TEXT = 500
MOST_CONSEQUENCES = 20
_NO_PATTERN = frozenset({"other-exception", "error-like-line", "logger-error-with-cause"})
_GENERIC_ORDER = 80  # rules/80_generic.toml
_COMMAND_CODES = frozenset({"2", "126", "127"})


def first_error_of_texts(texts: Mapping[str, str], book: RuleBook | None = None) -> Answer:
    """Return the first error of pieces of log, by worker, as events and messages bring them."""
    rules = book or default_rules()
    return first_error([scan_blocks(name, [text.encode()], rules) for name, text in texts.items()])


def first_error(scans: Sequence[Scan]) -> Answer:
    """Return the first error of all logs of one job."""
    choice = choose(scans)
    consequences = _consequences(choice)
    first = _error(choice.first, scans, choice) if choice.first else None
    absent = _absent(choice, scans)
    return Answer(
        first_error=first,
        second=_error(choice.second, scans, choice) if choice.second else None,
        consequences=consequences[:MOST_CONSEQUENCES],
        consequence_count=sum(one.count for one in consequences),
        certain=first is not None and first.role in CAUSES,
        notes=tuple(_notes(choice, first, absent)),
        absent=absent,
        evidence=evidence(scans, choice.first),
    )


def _error(placed: Placed, scans: Sequence[Scan], choice: Choice) -> Error:
    fault = placed.fault
    own = own_frame(fault.frames)
    same = [one.fault for one in choice.all if one.fault.kind == fault.kind]
    ranks = {one.line.rank for one in same if one.line.rank is not None}
    return Error(
        file=placed.file,
        line=fault.line.number,
        text=fault.line.text.strip()[:LONGEST_TEXT],
        rank=_rank(placed, scans),
        worker=fault.line.worker,
        layer=_layer(placed),
        rule=fault.rule.id,
        role=fault.role,
        advice=fault.rule.advise(fault.found),
        where=site(own or (fault.frames[-1] if fault.frames else None)),
        phase=fault.rule.phase,
        ranks=max(1, len(ranks)),
        time=fault.line.time,
    )


def _layer(placed: Placed) -> Layer:
    fault = placed.fault
    if fault.rule.order == _GENERIC_ORDER and fault.frames:
        return layer_of(fault.frames, fault.line.text)
    if fault.found.get("code") in _COMMAND_CODES:
        return Layer.COMMAND
    return fault.rule.layer


def _rank(placed: Placed, scans: Sequence[Scan]) -> int | None:
    """Return the rank a line names, else the one that the launcher of its worker blames."""
    line = placed.fault.line
    if line.rank is not None:
        return line.rank
    workers = {(scan.file, worker) for scan in scans for worker in scan.workers or {""}}
    if line.local is not None and len(workers) == 1:
        return line.local
    blamed = [
        failure.rank
        for scan in scans
        if scan.file == placed.file
        for failure in scan.failures
        if failure.worker == line.worker and failure.rank is not None
    ]
    return blamed[-1] if blamed else None


def _consequences(choice: Choice) -> tuple[Consequence, ...]:
    """Return one entry for each kind of what is not the first error, in order."""
    chosen = {id(one.fault) for one in (choice.first, choice.second) if one}
    firsts: dict[str, Placed] = {}
    counts: dict[str, int] = {}
    for one in choice.all:
        if id(one.fault) not in chosen:
            firsts.setdefault(one.fault.rule.id, one)
            counts[one.fault.rule.id] = counts.get(one.fault.rule.id, 0) + 1
    return tuple(
        Consequence(
            file=one.file,
            line=one.fault.line.number,
            text=one.fault.line.text.strip()[:LONGEST_TEXT],
            rank=one.fault.line.rank,
            rule=rule,
            role=one.fault.role,
            count=counts[rule],
        )
        for rule, one in firsts.items()
    )


def _absent(choice: Choice, scans: Sequence[Scan]) -> tuple[int, ...]:
    """Return the ranks that reported no timeout, when most others of a known world did."""
    reported = {
        one.fault.line.rank
        for one in choice.all
        if one.fault.rule.id == "watchdog-timeout" and one.fault.line.rank is not None
    }
    sizes = [_size(scan) for scan in scans]
    world = max([*sizes, max(reported, default=-1) + 1])
    if world >= 2 * len(reported):
        return ()  # Most did not report; a log may also name any number as a rank.
    return tuple(sorted(set(range(world)) - reported))


def _size(scan: Scan) -> int:
    signs = scan.signs.get("world-size", [])
    return max((number_of(next(iter(sign.found.values()), "")) or 0 for sign in signs), default=0)


def _notes(choice: Choice, first: Error | None, absent: Sequence[int]) -> Iterable[Text]:
    if choice.earlier_attempt:
        yield say("errors-note-earlier-attempt")
    if first is None:
        stopped = any(one.fault.role is Role.TEARDOWN for one in choice.all)
        yield say("errors-note-stopped" if stopped else "errors-note-nothing")
        return
    if first.rule in _NO_PATTERN:
        yield say("errors-note-no-pattern")
    elif first.role in {Role.SYMPTOM, Role.CASCADE}:
        yield say("errors-note-symptom")
    elif first.role is Role.WRAPPER:
        yield say("errors-note-wrapper")
    elif first.role is Role.HINT:
        yield say("errors-note-hint")
    if absent:
        yield say("errors-note-absent", ranks=", ".join(map(str, absent)))
