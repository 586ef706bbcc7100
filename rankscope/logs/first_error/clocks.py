"""Compare times that several machines wrote.

What ends everywhere at once shows how far two clocks are apart: the same training step, printed in
both logs, or the same collective's timeout. Without such a pair the zones count where both name
them; otherwise the clocks are taken as they are. Two errors less than SKEW_S apart are not
ordered by time.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from rankscope.logs.first_error.fault import Fault
from rankscope.logs.first_error.scan import Scan

SKEW_S = 2.0


def offsets(scans: Sequence[Scan]) -> dict[str, float]:
    """Return by how many seconds each file's clock is ahead of the first one's."""
    marks = [_marks(scan) for scan in scans]
    zones = [_zone(scan, scans[0]) for scan in scans]
    return {
        scan.file: _ahead(own, marks[0], zone)
        for scan, own, zone in zip(scans, marks, zones, strict=True)
    }


def _zone(scan: Scan, other: Scan) -> float:
    return 0.0 if scan.zone is None or other.zone is None else scan.zone - other.zone


def _marks(scan: Scan) -> dict[str, float]:
    steps = {f"step {number}": time for number, time in scan.trail.times}
    timeouts = (f for f in scan.faults if f.found.get("seq") and f.line.time)
    for fault in timeouts:
        steps.setdefault(f"timeout {fault.found['seq']}", fault.line.time or 0.0)
    return steps


def _ahead(own: Mapping[str, float], other: Mapping[str, float], otherwise: float) -> float:
    shared = own.keys() & other.keys()
    return median(own[mark] - other[mark] for mark in shared) if shared else otherwise


def onset(fault: Fault) -> float | None:
    """Return when what a fault tells of began: a timeout is reported after its whole wait."""
    waited = float(fault.found.get("ms") or 0) / 1000
    return None if fault.line.time is None else fault.line.time - waited
