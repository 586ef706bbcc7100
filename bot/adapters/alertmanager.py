"""Alertmanager's webhook (version 4) and Grafana's, which has the same shape and more.

Prometheus: Alerting, Configuration, `webhook_config`; Grafana: Configure webhook notifications. A
body holds the alerts of one group; each is an event of its own.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from bot.adapters.adapter import Adapter, Item, Json
from bot.adapters.build import Fact, event_of, job, sentence, stable_id
from bot.adapters.jobs import job_of_alert, worker_of_pod
from bot.adapters.look import first, mapping, moment, text
from bot.adapters.meanings import (
    NOTICE,
    Meaning,
    known,
    meaning_of_alert,
    meaning_of_type,
    severity_of,
)
from rankscope.model.event import Event, EventJob, JobId

RESOLVED = {"job.hang": "job.resumed", "job.slow": "job.slow_recovered"}
"""What the end of an alert tells; that of any other alert is only noted."""

_OVER = "resolved"
_KEPT = (
    "alertname", "namespace", "cluster", "node", "rank", "ranks", "gpu", "reason", "exit_code",
    "stuck_seconds",
)  # fmt: skip
_TEXTS = ("summary", "description", "message", "title")
_GROUP = ("groupLabels", "commonLabels", "commonAnnotations")


def _recognises(item: Item) -> bool:
    value = mapping(item.value)
    return isinstance(value.get("labels"), Mapping) and ("alerts" in item.envelope)


def _read(item: Item) -> list[Event]:
    alert = mapping(item.value)
    labels, notes = mapping(alert, "labels"), mapping(alert, "annotations")
    job_id = _job_of(item, alert)
    meaning = _meaning_of(alert, item.envelope)
    resolved = text(alert, "status") == _OVER
    said = sentence(*(text(notes, name) for name in _TEXTS)) or text(labels, "alertname")
    source = "grafana" if "orgId" in item.envelope else "alertmanager"
    fact = Fact(
        source=source,
        identity=(text(alert, "fingerprint") or said, text(alert, "startsAt")),
        meaning=meaning,
        job=_facts_of_job(job_id, labels, notes),
        time=_time_of(item, alert, resolved=resolved),
        message=said,
        severity=severity_of(text(labels, "severity"), meaning.severity),
    )
    if resolved:
        fact = _ended(fact)
    return [event_of(fact, _labels(alert) | _truncated(item))]


def _job_of(item: Item, alert: Json) -> JobId:
    labels, notes = mapping(alert, "labels"), mapping(alert, "annotations")
    return job_of_alert(item.told, (labels, notes, *_around(item.envelope)), labels)


def _around(envelope: Json) -> list[Json]:
    """Return what all alerts of the group have in common, which senders may leave out of each."""
    return [mapping(envelope, name) for name in _GROUP]


def _facts_of_job(job_id: JobId, labels: Json, notes: Json) -> EventJob:
    def said(name: str) -> str:
        return first(text(place, name) for place in (labels, notes))

    return job(job_id, name=said("job_name"), owner=said("owner"), url=said("job_url"))


def _meaning_of(alert: Json, envelope: Json) -> Meaning:
    """Return what an alert means: what its rule says outright, else what its words say."""
    labels, notes = mapping(alert, "labels"), mapping(alert, "annotations")
    told = first(text(place, "rankscope_event") for place in (labels, notes))
    texts = [text(notes, name) for name in _TEXTS]
    name = first(text(place, "alertname") for place in (labels, *_around(envelope)))
    return meaning_of_type(told) or meaning_of_alert(name, texts)


def _time_of(item: Item, alert: Json, *, resolved: bool) -> datetime | None:
    name = "endsAt" if resolved else "startsAt"
    return moment(alert.get(name), item.told.zone)


def _ended(fact: Fact) -> Fact:
    meaning = known(RESOLVED.get(fact.meaning.type, NOTICE))
    identity = (*fact.identity, _OVER)
    return replace(fact, meaning=meaning, severity=meaning.severity, identity=identity)


def _settle(events: list[Event]) -> list[Event]:
    """Only note the end of an alert while another alert says that the job's trouble goes on."""
    firing = {(e.job.id, RESOLVED.get(e.type)) for e in events if e.labels.get("status") != _OVER}
    return [_noted(e) if (e.job.id, e.type) in firing else e for e in events]


def _noted(event: Event) -> Event:
    return replace(event, type=NOTICE, id=stable_id(event.id, "other alerts fire"))


def _labels(alert: Json) -> dict[str, str]:
    labels, notes = mapping(alert, "labels"), mapping(alert, "annotations")
    kept = {name: first((text(labels, name), text(notes, name))) for name in _KEPT}
    values = mapping(alert, "values")
    page = first(text(alert, name) for name in ("panelURL", "dashboardURL", "generatorURL"))
    return {
        "worker": text(labels, "worker") or worker_of_pod(text(labels, "pod")),
        **kept,
        "step": first(text(one, key) for one in (labels, notes) for key in ("step", "last_step")),
        "status": text(alert, "status"),
        **{f"value_{name}": text(value) for name, value in values.items()},
        "alert_url": page,
    }


def _truncated(item: Item) -> dict[str, str]:
    """Tell that Alertmanager left alerts out of the body (its `max_alerts`)."""
    left_out = text(item.envelope, "truncatedAlerts")
    return {"truncated_alerts": left_out} if left_out not in {"", "0"} else {}


ADAPTER = Adapter(
    name="alertmanager",
    read=_read,
    recognises=_recognises,
    aliases=("grafana", "prometheus"),
    settle=_settle,
)
