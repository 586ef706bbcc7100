"""Looking into JSON of which nothing is certain: what is missing, or of another type, is empty."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo

from bot.adapters.adapter import Json

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATORS = re.compile(r"[\s/_-]+")
_YEARS = range(2000, 2101)
_MILLISECONDS_FROM = 1e11  # Seconds reach this in the year 5138.
_DEPTH = 4
_MOST_FIELDS = 2000


def mapping(value: object, *path: str) -> Json:
    """Return the object at a path, or an empty one."""
    found = at(value, *path)
    return found if isinstance(found, Mapping) else {}


def items(value: object, *path: str) -> list[object]:
    """Return the list at a path, or an empty one."""
    found = at(value, *path)
    return list(found) if isinstance(found, list) else []


def at(value: object, *path: str) -> object:
    """Return what lies at a path of keys, or None."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text(value: object, *path: str) -> str:
    """Return the text or number at a path as text without spaces around it, or an empty text."""
    found = at(value, *path)
    if isinstance(found, bool):
        return str(found).lower()
    return str(found).strip() if isinstance(found, str | int | float) else ""


def word(value: object, *path: str) -> str:
    """Return the text at a path, cut to what a sentence can hold of a name."""
    return text(value, *path)[:200]


def first(texts: Iterable[str]) -> str:
    """Return the first text that is not empty, or an empty one."""
    return next((one for one in texts if one), "")


def whole(value: object, *path: str) -> int | None:
    """Return the whole number at a path, whether written as number or as text, or None."""
    try:
        return int(text(value, *path)[:20])
    except ValueError:
        return None


def moment(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Return a time written as RFC 3339, without a zone, or in (milli)seconds since the epoch.

    Years before 2000 and after 2100 are no times: 0001-01-01 stands for "not yet".
    """
    written = text(value)
    try:
        found = _epoch(float(written))
    except ValueError:
        found = _iso(written, zone)
    return found if found is not None and found.year in _YEARS else None


def _epoch(seconds: float) -> datetime | None:
    if not math.isfinite(seconds) or not 0 < seconds < 1e14:
        return None
    if seconds >= _MILLISECONDS_FROM:
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC)


def _iso(written: str, zone: tzinfo) -> datetime | None:
    try:
        found = datetime.fromisoformat(written)
    except ValueError:
        return None
    if found.year not in _YEARS:
        return None
    return found if found.tzinfo else found.replace(tzinfo=zone)


def snake(name: str) -> str:
    """Return a name in lower case with underscores: `PipelineRunID` is `pipeline_run_id`."""
    return _SEPARATORS.sub("_", _CAMEL.sub("_", name)).lower()


def flat(value: object) -> dict[str, str]:
    """Return all texts and numbers of an object by their path, as `job.id`; lists are left out."""
    found: dict[str, str] = {}
    _flatten(value, "", _DEPTH, found)
    return found


def _flatten(value: object, prefix: str, depth: int, found: dict[str, str]) -> None:
    if not isinstance(value, Mapping):
        if prefix and text(value):
            found.setdefault(prefix.removesuffix("."), text(value))
    elif depth and len(found) < _MOST_FIELDS:
        for key, inner in value.items():
            _flatten(inner, f"{prefix}{snake(str(key))}.", depth - 1, found)


def named(flattened: Mapping[str, str], names: Iterable[str]) -> str:
    """Return the value of the first name there is: at its exact path, or at the end of one."""
    return first(_one(flattened, name) for name in names)


def _one(flattened: Mapping[str, str], name: str) -> str:
    if name in flattened:
        return flattened[name]
    ends = [path for path in flattened if path.endswith(f".{name}")]
    return flattened[min(ends, key=len)] if ends else ""
