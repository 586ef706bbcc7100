"""Findings of NVIDIA Resiliency Extension's watch: `{key, detector, severity, summary, detail}`.

A finding has neither job nor time. Its key is `nvrx-<detector>-<Slurm job>-<what it is about>`.
"""

import re

from bot.adapters.adapter import Adapter, Item
from bot.adapters.build import Fact, event_of, job, sentence
from bot.adapters.jobs import find_job, labelled_job
from bot.adapters.look import first, mapping, moment, text
from bot.adapters.meanings import meaning_of, meaning_of_alert, severity_of
from rankscope.model.event import Event

_TIMES = ("time", "timestamp", "detected_at", "created_at")
_HINT = "Its key names no Slurm job; add `job_id`."
_KEY = re.compile(r"-(?P<job>\d+(?:_\d+)?)(?=-|$)")


def _recognises(item: Item) -> bool:
    return mapping(item.value).keys() >= {"detector", "summary"}


def _read(item: Item) -> list[Event]:
    value = mapping(item.value)
    detector, key = text(value, "detector"), text(value, "key")
    summary, detail = text(value, "summary"), text(value, "detail")
    meaning = meaning_of("nvrx", detector) or meaning_of_alert(detector, [summary, detail])
    said = labelled_job(item.told, value, mapping(value, "labels"))
    in_key = _KEY.search(key)
    guessed = [in_key["job"]] if in_key else []
    fact = Fact(
        source="nvrx",
        identity=(key or sentence(detector, summary),),
        meaning=meaning,
        job=job(find_job(item.told, said, guessed, _HINT)),
        time=next((t for name in _TIMES if (t := moment(value.get(name), item.told.zone))), None),
        message=sentence(summary, detail),
        severity=severity_of(text(value, "severity"), meaning.severity),
    )
    labels = {
        "reason": detector,
        "node": first((text(value, "node"), text(value, "hostname"))),
        "action": text(value, "action"),
    }
    return [event_of(fact, labels)]


ADAPTER = Adapter(name="nvrx", read=_read, recognises=_recognises)
