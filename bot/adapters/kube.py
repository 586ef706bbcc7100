"""What all Kubernetes objects have in common."""

from collections.abc import Iterable
from datetime import datetime

from bot.adapters.adapter import Item, Json
from bot.adapters.jobs import find_job, job_of_object, labels_hint
from bot.adapters.look import first, items, mapping, moment, text
from rankscope.model.event import JobId

_JOB_OWNERS = frozenset({
    "PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "JAXJob", "TrainJob", "JobSet",
    "RayJob", "Job", "ElasticJob",
})  # fmt: skip


def is_kind(item: Item, api: str, *kinds: str) -> bool:
    """Return whether the item is an object of one of these kinds, of an API group."""
    version = text(item.value, "apiVersion")
    return text(item.value, "kind") in kinds and (version or api).startswith(api)


def metadata(item: Item) -> Json:
    """Return the object's metadata."""
    return mapping(item.value, "metadata")


def job_of(item: Item, said: Iterable[str], guessed: Iterable[str] = ()) -> JobId:
    """Return the job an object is about: labels first, then what is said, then guesses."""
    labelled = job_of_object(item.told, metadata(item))
    return find_job(item.told, (*labelled, *said), guessed, labels_hint(item.told))


def owner_of(item: Item) -> str:
    """Return the name of the job that owns the object, or an empty text."""
    owners = items(metadata(item), "ownerReferences")
    return first(text(one, "name") for one in owners if text(one, "kind") in _JOB_OWNERS)


def identity(item: Item) -> str:
    """Return what tells this object from all others, also from later ones of the same name."""
    about = metadata(item)
    named = "/".join((text(about, "namespace"), text(about, "name")))
    return text(about, "uid") or named


def places(item: Item) -> dict[str, str]:
    """Return the labels of events that say where an object is."""
    about = metadata(item)
    return {"namespace": text(about, "namespace"), "kind": text(item.value, "kind")}


def latest(item: Item, *written: object) -> datetime | None:
    """Return the first of the times there is, else when the object was started or created."""
    fallbacks = (
        mapping(item.value, "status").get("startTime"),
        metadata(item).get("creationTimestamp"),
    )
    found = (moment(one, item.told.zone) for one in (*written, *fallbacks))
    return next((one for one in found if one), None)
