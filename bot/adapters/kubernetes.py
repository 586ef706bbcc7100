"""Kubernetes events, of `v1` and of `events.k8s.io/v1`, as event exporters and watchers send them.

The reasons are those of the kubelet, the scheduler and the controllers; `meanings.toml` maps them.
"""

from collections.abc import Mapping

from bot.adapters.adapter import Adapter, Item, Json
from bot.adapters.build import Fact, event_of, job, sentence
from bot.adapters.jobs import job_of_object, job_of_pod, worker_of_pod
from bot.adapters.kube import identity, job_of, latest, metadata
from bot.adapters.look import first, mapping, text
from bot.adapters.meanings import NOTICE, Meaning, known, meaning_of
from rankscope.model.event import Event

_JOB_KINDS = frozenset({
    "PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "TrainJob", "JobSet",
    "RayJob", "ElasticJob",
})  # fmt: skip
_IMAGE_WORDS = ("image", "pull")


def _recognises(item: Item) -> bool:
    value = mapping(item.value)
    about = value.get("involvedObject", value.get("regarding"))
    return isinstance(about, Mapping) and "reason" in value


def _read(item: Item) -> list[Event]:
    value = mapping(item.value)
    about = mapping(value.get("involvedObject", value.get("regarding")))
    reason, said = text(value, "reason"), text(value, "message") or text(value, "note")
    meaning = meaning_of_reason(reason, said, warns=text(value, "type") == "Warning")
    series = mapping(value, "series")
    count = first((text(series, "count"), text(value, "count"), text(value, "deprecatedCount")))
    time = latest(
        item,
        series.get("lastObservedTime"),
        value.get("lastTimestamp"),
        value.get("eventTime"),
        value.get("deprecatedLastTimestamp"),
        value.get("firstTimestamp"),
    )
    version = text(metadata(item), "resourceVersion") or f"{count}@{time}"
    fact = Fact(
        source="kubernetes",
        identity=(identity(item), version),
        meaning=meaning,
        job=job(_job_id(item, about)),
        time=time,
        message=sentence(f"{reason}: {said}" if said else reason),
    )
    return [event_of(fact, _labels(value, about, reason, count))]


def meaning_of_reason(reason: str, said: str, *, warns: bool) -> Meaning:
    """Return what a reason means; `Failed` and `BackOff` are told apart by their message."""
    about_image = any(word in said.lower() for word in _IMAGE_WORDS)
    if reason in {"Failed", "BackOff"} and about_image:
        reason = "ErrImagePull"
    found = meaning_of("reasons", reason)
    if found is not None:
        return found
    return Meaning(NOTICE, severity="warning") if warns else known(NOTICE)


def _job_id(item: Item, about: Json) -> str:
    name, kind = text(about, "name"), text(about, "kind")
    said = job_of_object(item.told, about)
    if kind in _JOB_KINDS:
        said = [*said, name]
    if kind == "PodGroup":
        return job_of(item, said, [name.removeprefix("podgroup-")])
    guessed = [job_of_pod(name)] if kind != "Node" else []
    if kind == "Job":
        guessed.append(name)
    return job_of(item, said, guessed)


def _labels(value: Json, about: Json, reason: str, count: str) -> dict[str, str]:
    kind, name = text(about, "kind"), text(about, "name")
    source = mapping(value.get("source", value.get("deprecatedSource")))
    return {
        "namespace": text(about, "namespace"),
        "kind": kind,
        "worker": worker_of_pod(name) if kind == "Pod" else "",
        "pod": name if kind == "Pod" else "",
        "node": name if kind == "Node" else text(source, "host"),
        "reason": reason,
        "count": count,
    }


ADAPTER = Adapter(
    name="kubernetes", read=_read, recognises=_recognises, aliases=("k8s", "k8s-event")
)
