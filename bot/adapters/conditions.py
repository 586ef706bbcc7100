"""Kubeflow's PyTorchJob and its kin, TrainJob, JobSet and batch Jobs: jobs that have conditions.

The latest condition that is true says where the job is (Kubeflow training-operator v1, Kubeflow
Trainer v1alpha1, JobSet, batch/v1). A TrainJob has no condition for running: `jobsStatus` tells.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.adapters.adapter import Adapter, Item, Json, NothingTold
from bot.adapters.build import Fact, event_of, job, sentence
from bot.adapters.kube import identity, is_kind, job_of, latest, metadata, places
from bot.adapters.look import items, mapping, moment, text, whole
from bot.adapters.meanings import NOTICE, known, meaning_of
from rankscope.model.event import Event

_KUBEFLOW = ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob")
_FINAL = frozenset({"Succeeded", "Complete", "Completed", "Failed"})
_COUNTS = ("active", "ready", "succeeded", "failed", "suspended")


def _recognises(item: Item) -> bool:
    return (
        is_kind(item, "kubeflow.org/", *_KUBEFLOW)
        or is_kind(item, "trainer.kubeflow.org/", "TrainJob")
        or is_kind(item, "jobset.x-k8s.io/", "JobSet")
        or is_kind(item, "batch/v1", "Job")
    )


@dataclass(frozen=True, slots=True)
class _State:
    """Where a job is, in its operator's words."""

    word: str
    reason: str = ""
    message: str = ""
    time: datetime | None = None


def _read(item: Item) -> list[Event]:
    name, kind = text(metadata(item), "name"), text(item.value, "kind")
    state = _state_of(item)
    meaning = meaning_of("conditions", state.word) or known(NOTICE)
    fact = Fact(
        source=kind.lower() or "kubernetes",
        identity=(identity(item), state.word, str(state.time or "")),
        meaning=meaning,
        job=job(job_of(item, [name]), name=name, framework=kind),
        time=state.time,
        message=sentence(state.message or state.reason or f"{kind} {name}: {state.word}"),
    )
    labels = {**places(item), "reason": state.reason, "replicas": _replicas(item)}
    return [event_of(fact, labels)]


def _state_of(item: Item) -> _State:
    status = mapping(item.value, "status")
    true = [one for one in items(status, "conditions") if text(one, "status") == "True"]
    if not isinstance(mapping(item.value).get("status"), Mapping) or not (
        true or "conditions" in status or "jobsStatus" in status or "active" in status
    ):
        raise NothingTold(
            "The object has no status.conditions, so it does not say where the job is.",
            "Send the whole object, with its status.",
        )
    final = [one for one in true if text(one, "type") in _FINAL]
    if not final and _is_ready(status):
        return _State("Running", time=latest(item))
    told = final or true
    if not told:
        return _State("Created", time=latest(item))
    newest = max(enumerate(told), key=lambda pair: (_sort_key(item, pair[1]), pair[0]))[1]
    return _as_state(item, newest)


def _is_ready(status: Json) -> bool:
    """Whether pods of a TrainJob are up; it says so nowhere else."""
    counts = [(whole(one, "ready"), whole(one, "active")) for one in items(status, "jobsStatus")]
    return any((ready or 0) > 0 or (active or 0) > 0 for ready, active in counts)


def _sort_key(item: Item, condition: object) -> float:
    time = moment(mapping(condition).get("lastTransitionTime"), item.told.zone)
    return time.timestamp() if time else 0.0


def _as_state(item: Item, condition: object) -> _State:
    written = mapping(condition)
    time = latest(item, written.get("lastTransitionTime"), written.get("lastUpdateTime"))
    return _State(text(written, "type"), text(written, "reason"), text(written, "message"), time)


def _replicas(item: Item) -> str:
    """Return how many replicas are in which state, as `Worker: active 2, failed 1`."""
    status = mapping(item.value, "status")
    by_role = dict(mapping(status, "replicaStatuses"))
    by_role |= {text(one, "name"): one for one in items(status, "jobsStatus")}
    parts = []
    for role, counts in by_role.items():
        told = [f"{name} {text(counts, name)}" for name in _COUNTS if whole(counts, name)]
        if told:
            parts.append(f"{role}: {', '.join(told)}")
    return "; ".join(parts)


ADAPTER = Adapter(
    name="kubeflow",
    read=_read,
    recognises=_recognises,
    aliases=("pytorchjob", "trainjob", "mpijob", "tfjob", "jobset"),
)
