"""Volcano's Job (batch.volcano.sh) and PodGroup (scheduling.volcano.sh)."""

import re
from collections.abc import Mapping

from bot.adapters.adapter import Adapter, Item, Json, NothingTold
from bot.adapters.build import Fact, event_of, job, sentence
from bot.adapters.kube import identity, is_kind, job_of, latest, metadata, owner_of, places
from bot.adapters.look import items, mapping, text, whole
from bot.adapters.meanings import NOTICE, known, meaning_of
from rankscope.model.event import Event

_UID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_COUNTS = ("pending", "running", "succeeded", "failed", "terminating", "unknown", "minAvailable")


def _recognises(item: Item) -> bool:
    return is_kind(item, "batch.volcano.sh/", "Job") or is_kind(item, "scheduling.", "PodGroup")


def _read(item: Item) -> list[Event]:
    return [_of_group(item) if text(item.value, "kind") == "PodGroup" else _of_job(item)]


def _of_job(item: Item) -> Event:
    name, status = text(metadata(item), "name"), mapping(item.value, "status")
    state = mapping(status, "state")
    phase = _required(text(state, "phase"), "status.state.phase")
    meaning = meaning_of("volcano", phase) or known(NOTICE)
    attempt = whole(status, "retryCount") or 0
    time = latest(item, state.get("lastTransitionTime"))
    said = sentence(text(state, "message") or text(state, "reason"))
    fact = Fact(
        source="volcano",
        identity=(identity(item), phase, str(attempt), str(time or "")),
        meaning=meaning,
        job=job(job_of(item, [name]), name=name),
        time=time,
        message=sentence(said, f"Volcano Job {name}: {phase}", _tasks(status)),
        attempt=attempt,
    )
    counts = {name: text(status, name) for name in _COUNTS if whole(status, name)}
    labels = {"reason": text(state, "reason"), "replicas": _tasks(status)}
    return event_of(fact, {**places(item), **labels, **counts})


def _of_group(item: Item) -> Event:
    name, status = text(metadata(item), "name"), mapping(item.value, "status")
    phase = _required(text(status, "phase"), "status.phase")
    unschedulable = _unschedulable(status)
    reason = text(unschedulable, "reason")
    meaning = meaning_of("reasons", reason) or meaning_of("podgroup", phase) or known(NOTICE)
    conditions = [mapping(one) for one in items(status, "conditions")]
    times = sorted((text(one, "lastTransitionTime") for one in conditions), reverse=True)
    time = latest(item, unschedulable.get("lastTransitionTime"), *times)
    guessed = _UID.sub("", name).removeprefix("podgroup-")
    fact = Fact(
        source="volcano",
        identity=(identity(item), phase, reason, str(time or "")),
        meaning=meaning,
        job=job(job_of(item, [owner_of(item)], [guessed])),
        time=time,
        message=text(unschedulable, "message") or f"PodGroup {name}: {phase}",
    )
    return event_of(fact, {**places(item), "reason": reason})


def _unschedulable(status: Json) -> Json:
    """Return the condition that says why the group cannot be scheduled, or an empty object."""
    conditions = [mapping(one) for one in items(status, "conditions")]
    waits = text(status, "phase") in {"Pending", "Inqueue"}
    told = [
        one
        for one in conditions
        if text(one, "type") == "Unschedulable" and text(one, "status") == "True" and waits
    ]
    return told[-1] if told else {}


def _required(word: str, where: str) -> str:
    if not word:
        raise NothingTold(
            f"{where} is missing, so it does not say where the job is.",
            "Send the whole object, with its status.",
        )
    return word


def _tasks(status: Json) -> str:
    """Return the tasks' states, as `worker: Running 3, Failed 1`."""
    parts = []
    for task, told in mapping(status, "taskStatusCount").items():
        phases = mapping(told, "phase")
        counts = [f"{phase} {text(count)}" for phase, count in phases.items() if text(count)]
        if counts and isinstance(told, Mapping):
            parts.append(f"{task}: {', '.join(counts)}")
    return "; ".join(parts)


ADAPTER = Adapter(name="volcano", read=_read, recognises=_recognises, aliases=("podgroup", "vcjob"))
