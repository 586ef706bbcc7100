"""What the process with the long connection tells its supervisor, once a second, and what it means.

The supervisor knows nothing else of it: a process that hangs cannot say so, it falls silent.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import msgspec

URL_VARIABLE: Final = "RANKSCOPE_LISTEN_REDIS_URL"
"""How the supervisor passes the URL, which may hold a password: not as an argument for `ps`."""
START_S: Final = 120.0
"""Loading the SDK takes seconds, on a busy machine half a minute."""
SILENT_S: Final = 30.0
"""A busy process on a busy machine misses some beats."""
UNCONNECTED_S: Final = 180.0
"""The client itself tries again every minute at the latest."""
PONG_GRACE_S: Final = 30.0


class Ending(IntEnum):
    """Exit codes of the process."""

    ASKED = 0
    CRASHED = 1
    REFUSED = 2


class Beat(msgspec.Struct, frozen=True, kw_only=True):
    """One report; problem says why there is no connection.

    heard_s is how long ago the server was last heard of, ping_s how often it is asked.
    """

    connected: bool
    heard_s: float = 0.0
    ping_s: float = 0.0
    events: int = 0
    failures: int = 0
    last_event_at: float = 0.0
    connects: int = 0
    problem: str = ""


@dataclass(slots=True)
class Pulse:
    """The beats of one process so far; times are of one monotonic clock."""

    started_at: float
    beat_at: float = 0.0
    connected_at: float = 0.0
    last: Beat | None = None

    def feel(self, beat: Beat, now: float) -> None:
        """Take note of a beat."""
        self.beat_at, self.last = now, beat
        if beat.connected:
            self.connected_at = now

    @property
    def connected(self) -> bool:
        """Whether the last beat told of a connection."""
        return self.last is not None and self.last.connected

    def trouble(self, now: float) -> str:
        """Return why the process must be replaced, or an empty string."""
        silent_s = now - (self.beat_at or self.started_at)
        if silent_s > (SILENT_S if self.last else START_S):
            return f"it has said nothing for {silent_s:.0f} s"
        if self.last is None:
            return ""
        if not self.last.connected:
            away_s = now - (self.connected_at or self.started_at)
            return f"not connected for {away_s:.0f} s" if away_s > UNCONNECTED_S else ""
        deaf_s = self.last.heard_s
        if self.last.ping_s and deaf_s > 2 * self.last.ping_s + PONG_GRACE_S:
            return f"connected, but the server has not been heard of for {deaf_s:.0f} s"
        return ""
