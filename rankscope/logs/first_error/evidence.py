"""What the logs tell beside errors: how far the job came, what it loaded, where it writes."""

import re
from collections.abc import Sequence

from rankscope.logs.first_error.choose import Placed
from rankscope.logs.first_error.model import CONSEQUENCES, Evidence, Sign
from rankscope.logs.first_error.scan import Scan

_END = re.compile(r"(?i)\b(?:done|finish(?:ed)?|complet(?:ed?|ion)|upload(?:ed|ing)?|success\w*)\b")
_CHECK = re.compile(r"Check Finished|Bootcheck")
_TAIL_LINES = 5


def evidence(scans: Sequence[Scan], first: Placed | None) -> Evidence:
    """Collect the evidence of all logs of one job."""
    loaded = _last(scans, "checkpoint-loaded")
    restarted = [scan for scan in scans if scan.attempts.count > 1]
    return Evidence(
        checked=any(scan.attempts.checked for scan in scans),
        check_begun=any(scan.attempts.check_begun for scan in scans),
        command_ran=_last(scans, "command-running") is not None,
        banner=_last(scans, "framework-banner") is not None,
        stepped=any(scan.trail.count for scan in scans),
        ended=_last(scans, "training-ended") is not None,
        ended_after_error=first is not None and _ends_well(scans, first),
        attempts=max((scan.attempts.count for scan in scans), default=1),
        last_step=_whole(next((s.trail.last for s in scans if s.trail.last), "")),
        step_before_restart=_whole(restarted[0].restart_steps[0]) if restarted else None,
        first_step_after_restart=_after(restarted),
        loaded_checkpoint=_path(loaded),
        loaded_step=_step(loaded),
        started_fresh=_last(scans, "started-fresh") is not None,
        seconds_to_error=_seconds(scans, first),
        local_paths=tuple(sorted({path for scan in scans for path in scan.local_paths})),
    )


def _last(scans: Sequence[Scan], name: str) -> Sign | None:
    """Return the last sign of a kind that belongs to a log's last attempt."""
    signs = [
        sign
        for scan in scans
        for sign in scan.signs.get(name, [])
        if sign.line.number >= scan.attempts.began
    ]
    return signs[-1] if signs else None


def _whole(number: str) -> int | None:
    return int(number) if number.isdigit() else None


def _after(restarted: Sequence[Scan]) -> int | None:
    return _whole(restarted[0].first_after_restart) if restarted else None


def _path(sign: Sign | None) -> str:
    if sign is None:
        return ""
    paths = (sign.found.get(name) for name in ("path", "from", "model"))
    return next(filter(None, paths), sign.line.text.strip()[:200])


def _step(sign: Sign | None) -> int | None:
    steps = (sign.found.get(name) for name in ("step", "global", "number")) if sign else ()
    return _whole(next(filter(None, steps), ""))


def _seconds(scans: Sequence[Scan], first: Placed | None) -> float | None:
    """Return the seconds from the start command (or the first line) to the first error."""
    if first is None or first.fault.line.time is None:
        return None
    run = _last([scan for scan in scans if scan.file == first.file], "command-running")
    begin = run.line.time if run else next((s.first_time for s in scans), None)
    return None if begin is None else max(0.0, first.fault.line.time - begin)


def _ends_well(scans: Sequence[Scan], first: Placed) -> bool:
    """Whether the log of the error goes on after all errors and ends as if it had gone well."""
    scan = next(scan for scan in scans if scan.file == first.file)
    if any(fault.role in CONSEQUENCES for fault in scan.faults):
        return False
    last = max(fault.line.number for fault in scan.faults)
    ending = scan.tail[-min(_TAIL_LINES, max(0, scan.lines - last)) :] if scan.lines > last else []
    return any(_END.search(text) and not _CHECK.search(text) for text in ending)
