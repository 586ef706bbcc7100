"""Any other JSON that names a job and what is the matter with it; `generic.toml` says where.

This also reads the data of CloudEvents. What is said is looked for in this order: a type of ours
(`job.hang`, also at the end of a longer name), a status, a type or phase in common words, then the
words of the message.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from bot.adapters.adapter import Adapter, Item, NothingTold
from bot.adapters.alertmanager import RESOLVED
from bot.adapters.build import Fact, event_of, job
from bot.adapters.jobs import find_job, labels_hint
from bot.adapters.look import first, flat, moment, named, snake, text, whole
from bot.adapters.meanings import (
    NOTICE,
    Meaning,
    known,
    meaning_of_alert,
    meaning_of_type,
    meaning_of_word,
    severity_of,
)
from rankscope.model.event import Event, EventJob, JobId

Flat = Mapping[str, str]
_RANKS = range(1, 1_000_000)
_UNKNOWN = "unknown"  # What trainops.event/v1 calls an event of no known type.
_ENDED = frozenset({"resolved", "ok", "normal", "recovered"})


@cache
def _names() -> dict[str, Any]:
    """Return the contents of `generic.toml`."""
    path = Path(__file__).parent / "generic.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _say(flattened: Flat, what: str) -> str:
    return named(flattened, _names()[what])


def _recognises(item: Item) -> bool:
    """Recognise an event in nested form; anything else comes here by its address only."""
    flattened = flat(item.value)
    return "event.type" in flattened and "job.id" in flattened


def _read(item: Item) -> list[Event]:
    return [read_flat(item, flat(item.value), source="generic")]


def read_flat(item: Item, flattened: Flat, source: str, identity: tuple[str, ...] = ()) -> Event:
    """Return the event that flattened JSON tells; raises JobUnknown or NothingTold."""
    meaning = _meaning(flattened, text(item.value))
    own = flattened.get("id", "") if "schema" in flattened else ""
    identity = identity or (own or _say(flattened, "identity") or _digest(item.value),)
    fact = Fact(
        source=source,
        identity=identity,
        meaning=meaning,
        job=_job(_job_id(item, flattened), flattened),
        time=moment(_say(flattened, "time"), item.told.zone),
        message=_say(flattened, "message") or text(item.value) or _words(flattened),
        attempt=whole(_say(flattened, "attempt")) or 0,
        severity=severity_of(_say(flattened, "severity"), meaning.severity),
    )
    labels = {name: named(flattened, paths) for name, paths in _names()["labels"].items()}
    phase = {"phase": _say(flattened, "phase") or meaning.phase}
    return event_of(fact, phase | labels)


def _words(flattened: Flat) -> str:
    """Return what a body without a message says, as `training_run.completed: failed`."""
    said = dict.fromkeys((_say(flattened, "type"), _say(flattened, "status")))
    return ": ".join(one for one in said if one)


def _job_id(item: Item, flattened: Flat) -> JobId:
    named_so = [flattened.get(name, "") for name in _names()["job"]]
    deep = _say(flattened, "job")
    maybe = [named(flattened, [name]) for name in _names()["job_maybe"]]
    own = [named(flattened, [snake(name)]) for name in item.told.job_labels]
    hint = labels_hint(item.told)
    return find_job(item.told, [*own, *named_so, deep], maybe, hint)


def _meaning(flattened: Flat, said: str) -> Meaning:
    type_, status = _say(flattened, "type"), _say(flattened, "status")
    resolved = status.lower() in _ENDED or flattened.get("event.status", "") == "resolved"
    exact = meaning_of_type(".".join(type_.lower().split(".")[-2:]))
    if exact is not None:
        return known(RESOLVED.get(exact.type, NOTICE)) if resolved else exact
    words = (status, type_, _say(flattened, "phase"))
    found = next((m for word in words if word and (m := meaning_of_word(word))), None)
    found = found or _by_text(flattened, type_, said)
    if found is None and type_.lower() == _UNKNOWN:
        return known(NOTICE)
    if found is None:
        raise NothingTold(
            "It does not say what is the matter with the job.",
            "Add `type`, for example job.hang, job.slow, job.failed or job.running.",
        )
    return known(RESOLVED.get(found.type, found.type)) if resolved else found


def _by_text(flattened: Flat, type_: str, said: str) -> Meaning | None:
    name = first((named(flattened, ["alertname", "alert_name", "title", "event_name"]), type_))
    texts = [_say(flattened, "message"), named(flattened, ["description", "detail"]), said]
    found = meaning_of_alert(name, texts)
    return found if found.type != NOTICE else None


def _job(job_id: JobId, flattened: Flat) -> EventJob:
    texts = {name: _say(flattened, name) for name in ("name", "owner", "url", "framework")}
    told = job(job_id, **texts)
    size = whole(_say(flattened, "world_size")) or _ranks(flattened)
    return replace(told, world_size=size) if size in _RANKS else told


def _ranks(flattened: Flat) -> int:
    """Return workers times GPUs of each, since every GPU has one rank; 0 when one is not told."""
    workers, each = (whole(_say(flattened, name)) for name in ("workers", "gpus_per_worker"))
    return (workers or 0) * (each or 0)


def _digest(value: object) -> str:
    """Return what tells this body from others, for senders that name no event of their own."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()[:32]


ADAPTER = Adapter(
    name="generic", read=_read, recognises=_recognises, aliases=("event", "osmosis", "volcengine")
)
