"""Choose the first error among everything that looks like one.

1. What the training survived is out, and so is what an earlier attempt printed.
2. A cause or its confirmation before a symptom, a hint, a consequence, a launcher's summary.
3. Of several causes the earliest; on different clocks that are closer than their skew, the one
   whose rule is more specific. A cause that any code may raise does not count after its process
   was told to stop.
4. A confirmation (the kernel's record of a kill) counts from the kill it explains.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rankscope.logs.first_error.clocks import SKEW_S, offsets, onset
from rankscope.logs.first_error.fault import Fault
from rankscope.logs.first_error.model import CAUSES, CONSEQUENCES, Layer, Role
from rankscope.logs.first_error.scan import Scan

_KILLS = frozenset({"killed", "elastic-killed", "loader-killed"})
_STOPS = frozenset({Role.TEARDOWN, Role.SYMPTOM})
_CLOSE_S = 60.0
_CLOSE_LINES = 500

Position = tuple[float, int, int]


@dataclass(frozen=True, slots=True)
class Placed:
    """A fault and where it stands among all; at is comparable over all files."""

    file: str
    fault: Fault
    at: Position


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen fault, the next best, and all that count, in order."""

    first: Placed | None
    second: Placed | None
    all: tuple[Placed, ...]
    earlier_attempt: bool = False


def choose(scans: Sequence[Scan]) -> Choice:
    """Return the first error of all logs of a job."""
    ahead = offsets(scans)
    placed = _in_scope(scans, ahead)
    if placed or not any(scan.attempts.count > 1 for scan in scans):
        return _choice(placed)
    return _choice(_attempt_before(scans, ahead), earlier=True)


def _in_scope(scans: Sequence[Scan], ahead: dict[str, float]) -> list[Placed]:
    return [
        _place(scans, index, fault, ahead)
        for index, scan in enumerate(scans)
        for fault in scan.faults
        if scan.attempts.holds(
            fault.line.number, fault.line.worker, platform=fault.rule.layer is Layer.PLATFORM
        )
    ]


def _attempt_before(scans: Sequence[Scan], ahead: dict[str, float]) -> list[Placed]:
    """Return the faults of the attempt before, when the last one has printed no step yet."""
    return [
        _place(scans, index, fault, ahead)
        for index, scan in enumerate(scans)
        if scan.trail.count == scan.restart_steps[1]
        for fault in scan.faults
        if fault.attempt == scan.attempts.count - 1
    ]


def _place(scans: Sequence[Scan], index: int, fault: Fault, ahead: dict[str, float]) -> Placed:
    """Within one file the order of lines is the truth; over several files it is time."""
    scan = scans[index]
    time = fault.line.time or fault.step_time if len(scans) > 1 else None
    when = 0.0 if time is None else time - ahead[scan.file]
    return Placed(scan.file, fault, (when, index, fault.order))


def _choice(placed: list[Placed], *, earlier: bool = False) -> Choice:
    kills = sorted(one.at for one in placed if one.fault.rule.id in _KILLS)
    moved = (_explain(one, kills) for one in placed)
    ordered = sorted(moved, key=lambda one: one.at)
    ranked = _ranked(ordered)
    first = ranked[0] if ranked else None
    second = next((one for one in ranked[1:] if first and _is_rival(first, one)), None)
    return Choice(first, second, tuple(ordered), earlier and first is not None)


def _explain(one: Placed, kills: Sequence[Position]) -> Placed:
    """Let a confirmation count from the first kill it explains."""
    if one.fault.role is Role.CONFIRMATION and kills and kills[0] < one.at:
        return Placed(one.file, one.fault, kills[0])
    return one


def _ranked(ordered: list[Placed]) -> list[Placed]:
    """Return the candidates, best first."""
    stopped = _stops(ordered)
    causes = [one for one in ordered if one.fault.is_cause and not _is_late(one, stopped)]
    symptoms = [one for one in ordered if one.fault.role is Role.SYMPTOM]
    symptoms.sort(key=lambda one: round(onset(one.fault) or 0.0))
    hints = [one for one in ordered if one.fault.role is Role.HINT]
    wrappers = [one for one in ordered if one.fault.role is Role.WRAPPER]
    cascades = [one for one in ordered if one.fault.role is Role.CASCADE]
    late = [one for one in ordered if one.fault.is_cause and _is_late(one, stopped)]
    return _specific_first(causes) + symptoms + late + hints + cascades + wrappers


def _stops(ordered: list[Placed]) -> dict[tuple[str, str], Position]:
    """Return when each worker was first told to stop, or gave up waiting."""
    found: dict[tuple[str, str], Position] = {}
    for one in ordered:
        if one.fault.role in _STOPS:
            found.setdefault((one.file, one.fault.line.worker), one.at)
    return found


def _is_late(one: Placed, stopped: dict[tuple[str, str], Position]) -> bool:
    stop = stopped.get((one.file, one.fault.line.worker))
    weak = one.fault.role is Role.WEAK_ROOT and not one.fault.summarised
    return weak and stop is not None and stop < one.at


def _specific_first(causes: list[Placed]) -> list[Placed]:
    """Put a specific cause before a general one of another file within the skew of the clocks."""
    if not causes or causes[0].fault.role is not Role.WEAK_ROOT:
        return causes
    first = causes[0]
    rival = next(
        (
            one
            for one in causes
            if one.fault.role is not Role.WEAK_ROOT
            and one.file != first.file
            and one.at[0] - first.at[0] <= SKEW_S
        ),
        None,
    )
    return [rival, *(one for one in causes if one is not rival)] if rival else causes


def _is_rival(first: Placed, one: Placed) -> bool:
    """Whether another candidate is another fault, of some weight, and close to the first."""
    if one.fault.kind == first.fault.kind or one.fault.role in CONSEQUENCES:
        return False
    weighty = one.fault.role in CAUSES or first.fault.role not in CAUSES
    if not weighty:
        return False
    if one.file == first.file and not one.at[0]:
        return abs(one.at[2] - first.at[2]) <= _CLOSE_LINES
    return abs(one.at[0] - first.at[0]) <= _CLOSE_S
