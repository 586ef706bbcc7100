"""Moments as people read them: in the time zone of the settings, which stands beside them.

Without RANKSCOPE_TIME_ZONE the host's own zone is taken, whose short name could mean several, so
that its offset is shown. Each process says once at its start which zone it shows.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo


@dataclass(slots=True)
class _Chosen:
    """The zone of this process; empty for the host's own."""

    name: str = ""


_chosen = _Chosen()


def use_zone(name: str) -> None:
    """Show moments in this zone from now on (an IANA name), or in the host's own when empty."""
    _chosen.name = name


def shown(seconds: float, form: str) -> str:
    """Return a moment (seconds since the epoch) in a form of strftime, with its zone."""
    name = _chosen.name
    at = datetime.fromtimestamp(seconds, UTC).astimezone(_zone(name) if name else None)
    return f"{at.strftime(form)} ({name or _offset(at)})"


@cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _offset(at: datetime) -> str:
    """Return `UTC`, or the offset from it as `UTC+08:00`."""
    digits = at.strftime("%z")
    return "UTC" if digits == "+0000" else f"UTC{digits[:3]}:{digits[3:5]}"
