"""Which job a person means."""

from collections.abc import Collection
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Found:
    """Exactly one job is meant: its id was given in full, or only it begins so."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several jobs begin so."""

    matches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoSuchJob:
    """No job begins so; nearest is the most similar id, or empty."""

    nearest: str = ""


Resolution = Found | Ambiguous | NoSuchJob


def resolve_job(prefix: str, ids: Collection[str]) -> Resolution:
    """Find the job by its id or a unique beginning of it, upper and lower case alike."""
    if prefix in ids:
        return Found(prefix)
    wanted = prefix.lower()
    same = [job_id for job_id in ids if job_id.lower() == wanted]
    matches = same or [job_id for job_id in ids if job_id.lower().startswith(wanted)]
    if len(matches) == 1:
        return Found(matches[0])
    if matches:
        return Ambiguous(tuple(sorted(matches)))
    return NoSuchJob(_nearest(wanted, ids))


def _nearest(wanted: str, ids: Collection[str]) -> str:
    by_lower = {job_id.lower(): job_id for job_id in sorted(ids)}
    near = get_close_matches(wanted, by_lower, n=1)
    return by_lower[near[0]] if near else ""
