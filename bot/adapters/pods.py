"""Kubernetes pods: why a container ended, or why it does not start.

A pod that runs says nothing of the job's progress, so it is only noted: it must not end a hang.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from bot.adapters.adapter import Adapter, Item, Json
from bot.adapters.build import Fact, event_of, job
from bot.adapters.exits import exit_labels, say_exit
from bot.adapters.jobs import job_of_pod, worker_of_pod
from bot.adapters.kube import identity, is_kind, job_of, latest, metadata, owner_of, places
from bot.adapters.look import first, items, mapping, text, whole, word
from bot.adapters.meanings import NOTICE, Meaning, known, meaning_of
from rankscope.model.event import Event
from rankscope.text import say

_STATUSES = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_INDEX_LABELS = (
    "training.kubeflow.org/replica-index", "batch.kubernetes.io/job-completion-index",
    "apps.kubernetes.io/pod-index", "volcano.sh/task-index",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Finding:
    """The one thing worth telling of a pod."""

    meaning: Meaning
    reason: str
    message: str
    time: object = None
    exit: Json | None = None


def _read(item: Item) -> list[Event]:
    found = _find(item)
    about, name = metadata(item), text(metadata(item), "name")
    worker = worker_of_pod(name)
    time = latest(item, found.time)
    fact = Fact(
        source="kubernetes",
        identity=(identity(item), found.reason, str(time or "")),
        meaning=found.meaning,
        job=job(job_of(item, [owner_of(item)], [job_of_pod(name)])),
        time=time,
        message=found.message,
    )
    labels = {
        **places(item),
        "worker": worker,
        "pod": name,
        "node": text(item.value, "spec", "nodeName"),
        "replica_index": first(text(about, "labels", one) for one in _INDEX_LABELS),
        "reason": found.reason,
        "restarts": _restarts(item),
    }
    return [event_of(fact, labels | (exit_labels(found.exit) if found.exit else {}))]


def _find(item: Item) -> _Finding:
    status = mapping(item.value, "status")
    looks = (_ended, _evicted, _waiting, _unscheduled)
    findings = (look(item, status) for look in looks)
    return next((found for found in findings if found), None) or _plain(item, status)


def _containers(status: Json) -> Iterator[Json]:
    for name in _STATUSES:
        yield from (mapping(one) for one in items(status, name))


def _ended(item: Item, status: Json) -> _Finding | None:
    """Return the first container that ended badly, now or before its last restart."""
    ends = [
        (container, mapping(container, state, "terminated"))
        for state in ("state", "lastState")
        for container in _containers(status)
    ]
    bad = [(one, end) for one, end in ends if text(end, "exitCode") not in {"", "0"}]
    if not bad:
        return None
    container, end = min(bad, key=lambda pair: text(pair[1], "finishedAt") or "~")
    meaning = known("job.worker_failed")
    reason = text(end, "reason") or "Error"
    said = partial(say, "adapters-container-ended", pod=word(metadata(item), "name"))
    message = said(container=word(container, "name"), exit=say_exit(end).of(item.told.language))
    return _Finding(meaning, reason, message.of(item.told.language), end.get("finishedAt"), end)


def _evicted(item: Item, status: Json) -> _Finding | None:
    phase, reason = text(status, "phase"), text(status, "reason")
    if phase != "Failed":
        return None
    meaning = meaning_of("reasons", reason) or known("job.worker_failed")
    said = text(status, "message") or f"{text(metadata(item), 'name')}: {reason or phase}"
    times = [text(one, "lastTransitionTime") for one in items(status, "conditions")]
    return _Finding(meaning, reason or phase, said, max(times, default=""))


def _waiting(item: Item, status: Json) -> _Finding | None:
    """Return the first container that does not start; one that only is being made is no news."""
    for container in _containers(status):
        waiting = mapping(container, "state", "waiting")
        reason = text(waiting, "reason")
        meaning = meaning_of("reasons", reason)
        if meaning is not None:
            name = text(metadata(item), "name")
            return _Finding(meaning, reason, f"{name}: {text(waiting, 'message') or reason}")
    return None


def _unscheduled(_: Item, status: Json) -> _Finding | None:
    for condition in items(status, "conditions"):
        meaning = meaning_of("reasons", text(condition, "reason"))
        if text(condition, "status") == "False" and meaning is not None:
            said = text(condition, "message") or text(condition, "reason")
            time = mapping(condition).get("lastTransitionTime")
            return _Finding(meaning, text(condition, "reason"), said, time)
    return None


def _plain(item: Item, status: Json) -> _Finding:
    phase = text(status, "phase") or "Unknown"
    type_ = "job.deploying" if phase == "Pending" else NOTICE
    meaning = known(type_)
    return _Finding(meaning, phase, f"{text(metadata(item), 'name')}: {phase}")


def _restarts(item: Item) -> str:
    counts = [whole(one, "restartCount") or 0 for one in _containers(mapping(item.value, "status"))]
    return str(sum(counts)) if any(counts) else ""


def _recognises(item: Item) -> bool:
    return is_kind(item, "v1", "Pod") and isinstance(item.value, Mapping)


ADAPTER = Adapter(name="pods", read=_read, recognises=_recognises, aliases=("pod", "k8s-pod"))
