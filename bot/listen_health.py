"""How the long connection stands, in a file that `rankscope listen --check` reads.

A file, since it also tells when Redis is away; it is replaced as a whole, never written in place.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
import structlog

from bot.listen_beat import Beat

WRITE_EVERY_S: Final = 5.0
STALE_S: Final = 30.0

_log = structlog.get_logger()


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the file holds; times are seconds since the epoch, replaced counts the replacements."""

    at: float
    supervisor: int
    connected: bool = False
    since: float = 0.0
    listener: int = 0
    events: int = 0
    failures: int = 0
    last_event_at: float = 0.0
    replaced: int = 0
    reason: str = ""
    problem: str = ""


Tell = Callable[[Standing], None]


class Health:
    """Writes the file, at every change and every few seconds, and tells others what is in it."""

    def __init__(self, path: Path, tell: Tell = lambda _: None) -> None:
        self._path = path
        self._tell = tell
        self._last = Standing(at=0.0, supervisor=os.getpid())
        self._writable = True
        path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, listener: int, beat: Beat | None) -> None:
        """Record a beat; None when there was none yet."""
        now, known = time.time(), beat or Beat(connected=False, problem="starting")
        changed = known.connected != self._last.connected or known.problem != self._last.problem
        if not changed and now - self._last.at < WRITE_EVERY_S:
            return
        self._put(
            msgspec.structs.replace(
                self._last,
                at=now,
                connected=known.connected,
                since=now if changed else self._last.since,
                listener=listener,
                events=known.events,
                failures=known.failures,
                last_event_at=known.last_event_at,
                problem=known.problem,
            )
        )

    def replaced(self, reason: str) -> None:
        """Record that the process is replaced."""
        more = self._last.replaced + 1
        self._put(
            msgspec.structs.replace(
                self._last, at=time.time(), connected=False, replaced=more, reason=reason
            )
        )

    def ended(self, problem: str) -> None:
        """Record that there will be no connection any more."""
        self._put(
            msgspec.structs.replace(
                self._last, at=time.time(), connected=False, listener=0, problem=problem
            )
        )

    def _put(self, standing: Standing) -> None:
        self._last = standing
        self._tell(standing)
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_bytes(msgspec.json.encode(standing))
            fresh.replace(self._path)
        except OSError as error:
            # The connection matters more than its file, which grows stale and so tells by itself.
            if self._writable:
                _log.error("health file not written", file=str(self._path), error=str(error))
            self._writable = False
        else:
            self._writable = True


def judge(path: Path, now: float) -> tuple[bool, str]:
    """Return whether the connection stands, and a line that says so; now is s since the epoch."""
    try:
        standing = msgspec.json.decode(path.read_bytes(), type=Standing)
    except FileNotFoundError:
        return False, f"No listener has run here: {path} does not exist."
    except (OSError, msgspec.MsgspecError) as error:
        return False, f"{path} cannot be read: {error}."
    age_s = now - standing.at
    if age_s > STALE_S:
        return False, f"The listener (pid {standing.supervisor}) has been silent for {age_s:.0f} s."
    if not standing.connected:
        return False, f"Not connected: {standing.problem or standing.reason or 'starting'}."
    events = f"{standing.events} events, {standing.failures} not recorded"
    return (
        True,
        f"Connected for {now - standing.since:.0f} s, {events}, {standing.replaced} restarts.",
    )
