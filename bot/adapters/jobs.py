"""Which job an item tells of: what it says itself, what the request says, then what names suggest.

The order matters: a signature covers the body, not the address.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from bot.adapters.adapter import JobUnknown, Json, Told
from bot.adapters.look import first, mapping, snake, text
from bot.adapters.meanings import data
from rankscope.model.event import JobId

_LONGEST_NAME = 253  # Kubernetes, Object Names: DNS subdomain names.
_VALID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
# Kubeflow, Volcano and JobSet name pods <job>-<role>-<index>, JobSet with a second index and five
# random characters behind.
_ROLE = "master|worker|launcher|chief|ps|node|head|evaluator|server|trainer|replica|task"
_BY_ROLE = re.compile(
    rf"(?P<job>.+?)-(?P<worker>(?:{_ROLE})s?(?:-\d+)+)(?:-[a-z0-9]{{5}})?", re.IGNORECASE
)
_BY_INDEX = re.compile(r"(?P<job>.+?)-(?P<worker>\d+)(?:-[a-z0-9]{5})?")


def is_job_id(candidate: str) -> bool:
    """Return whether an event may carry this id."""
    return bool(_VALID.fullmatch(candidate))


def find_job(
    told: Told, said: Iterable[str] = (), guessed: Iterable[str] = (), hint: str = ""
) -> JobId:
    """Return the id of the job; raises JobUnknown that says what was tried and how to add one.

    said are what the item says itself, guessed what its names suggest; hint is one more sentence
    for the sender.
    """
    candidates = [one for one in (*said, told.job, *guessed) if one]
    found = first(one for one in candidates if is_job_id(one))
    if not found:
        raise _unknown(candidates, hint)
    return found


def _unknown(candidates: Sequence[str], hint: str) -> JobUnknown:
    where = "Or name the job in the address, as /webhooks/<source>?job=<id>."
    if candidates:
        tried = ", ".join(repr(one[:80]) for one in candidates[:5])
        what = f"{tried} cannot be a job id: letters, digits and ._:- only, at most 128."
        return JobUnknown(what, where)
    what = "It does not say which job it is about."
    return JobUnknown(what, f"{hint} {where}".strip())


def labels_hint(told: Told) -> str:
    """Return the sentence that lists the label names tried."""
    names = ", ".join(label_names(told))
    return (
        f"Add the job's id as a label or annotation; these names are tried: {names}. "
        "RANKSCOPE_WEBHOOK_JOB_LABELS adds names."
    )


def label_names(told: Told) -> tuple[str, ...]:
    """Return the names of labels tried for the job's id, those of the settings first."""
    return (*told.job_labels, *data()["job_labels"])


def labelled_job(told: Told, *places: Json) -> list[str]:
    """Return the job ids that labels name, best first; spelling of names is not looked at."""
    plain = [{_plain(str(key)): text(value) for key, value in one.items()} for one in places]
    names = [_plain(name) for name in label_names(told)]
    return [one[name] for name in names for one in plain if one.get(name)]


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", snake(name))


def job_of_object(told: Told, metadata: Json) -> list[str]:
    """Return the job ids that a Kubernetes object's labels and annotations name."""
    return labelled_job(told, mapping(metadata, "labels"), mapping(metadata, "annotations"))


def job_of_pod(name: str) -> str:
    """Return the job of a pod as its name suggests, or an empty text."""
    return _part_of_pod(name, "job")


def worker_of_pod(name: str) -> str:
    """Return the worker's short name, as `worker-1`, or the pod's own name."""
    return _part_of_pod(name, "worker") or name


def _part_of_pod(name: str, part: str) -> str:
    if len(name) > _LONGEST_NAME:
        return ""
    for pattern in (_BY_ROLE, _BY_INDEX):
        found = pattern.fullmatch(name)
        if found:
            return found[part]
    return ""


def job_of_alert(told: Told, places: Sequence[Json], pods: Mapping[str, object]) -> JobId:
    """Return the job of an alert: its labels and annotations, then the pod it names."""
    names = [text(pods, key) for key in ("pod", "exported_pod", "pod_name", "label_pod")]
    guessed = [job_of_pod(name) for name in names]
    return find_job(told, labelled_job(told, *places), guessed, labels_hint(told))
