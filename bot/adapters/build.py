"""Building events that the bot may record: cut to size, without empty labels, with a stable id."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.adapters.meanings import Meaning
from rankscope.model.event import Event, EventJob, EventLog, JobId, Severity

LONGEST_TEXT = 4000
LONGEST_LABEL = 500
MOST_LABELS = 40
LONGEST_ID = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """What an adapter has found; identity are the source's own words for this very happening."""

    source: str
    identity: tuple[str, ...]
    meaning: Meaning
    job: EventJob
    time: datetime | None = None
    message: str = ""
    attempt: int = 0
    severity: Severity | None = None
    logs: tuple[EventLog, ...] = ()


def event_of(fact: Fact, labels: Mapping[str, str]) -> Event:
    """Return the event of a fact; its id is the same whenever the same thing is told again."""
    meaning = fact.meaning
    known = {"phase": meaning.phase, **labels}
    if fact.time is None:
        known["time_source"] = "received"
    return Event(
        id=stable_id(fact.job.id, meaning.type, *fact.identity),
        type=meaning.type,
        job=fact.job,
        source=fact.source,
        state=meaning.state,
        severity=fact.severity or meaning.severity,
        time=fact.time,
        attempt=max(fact.attempt, 0),
        message=cut(fact.message),
        labels=_clean(known),
        logs=fact.logs,
    )


def stable_id(*parts: str) -> str:
    """Return the parts as one id, hashed where they would be too long."""
    joined = ":".join(part for part in parts if part)
    if len(joined) <= LONGEST_ID:
        return joined
    digest = hashlib.sha256(joined.encode()).hexdigest()
    return f"{joined[: LONGEST_ID - len(digest) - 1]}:{digest}"


def job(
    job_id: JobId, name: str = "", owner: str = "", url: str = "", framework: str = ""
) -> EventJob:
    """Return a job with its texts cut to size; a link that is none to a page is left out."""
    page = cut(url) if url.startswith(("http://", "https://")) else ""
    return EventJob(id=job_id, name=cut(name), owner=cut(owner), url=page, framework=cut(framework))


def cut(text: str) -> str:
    """Return a text as long as an event may carry it."""
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"


def _clean(labels: Mapping[str, str]) -> dict[str, str]:
    filled = [(key[:100], value[:LONGEST_LABEL]) for key, value in labels.items() if value]
    return dict(filled[:MOST_LABELS])


def sentence(*parts: str) -> str:
    """Return the parts that are not empty and not alike as one text."""
    joined = ""
    for part in dict.fromkeys(part for part in parts if part):
        gap = " " if joined.endswith((".", "!", "。")) else "; "
        joined = f"{joined}{gap}{part}" if joined else part
    return joined
