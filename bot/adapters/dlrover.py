"""DLRover's training events, as lines of its event log or as the JSON of its exporter.

A line is `[time] [event id] [target] [#name] [BEGIN|END|INSTANT] {content}`, without a zone.
"""

import re
from collections.abc import Iterator

import msgspec

from bot.adapters.adapter import Adapter, Item, Json, NothingTold
from bot.adapters.build import Fact, event_of, job, sentence
from bot.adapters.jobs import find_job, job_of_pod, labelled_job, worker_of_pod
from bot.adapters.look import first, mapping, moment, text
from bot.adapters.meanings import NOTICE, Meaning, known, meaning_of, meaning_of_alert
from rankscope.decoding import decode_json
from rankscope.model.event import Event

_LINE = re.compile(
    r"\[(?P<event_time>\d{4}-[^\]\s]+)\] \[(?P<event_id>[^\]]*)\] \[(?P<target>[^\]]*)\]"
    r" \[(?P<name>#?\w+)\] \[(?P<event_type>BEGIN|END|INSTANT)\] (?P<content>\{.*\})"
)
_FIELDS = frozenset({"event_time", "name", "event_type"})
_FAULTS = frozenset({"#fault_detect", "#exit"})
_FAILED = re.compile(r"fail|error|killed|oom", re.IGNORECASE)


def _recognises(item: Item) -> bool:
    if isinstance(item.value, str):
        return bool(_LINE.search(item.value))
    return mapping(item.value).keys() >= _FIELDS


def _read(item: Item) -> list[Event]:
    events = [_event(item, record) for record in _records(item) if _is_news(record)]
    if not events:
        raise NothingTold(
            "No line is a DLRover event that tells of the job.",
            "Lines look like `[time] [id] [target] [#fault_detect] [INSTANT] {…}`.",
        )
    return events


def _records(item: Item) -> Iterator[Json]:
    if not isinstance(item.value, str):
        yield mapping(item.value)
        return
    for line in item.value.splitlines():
        found = _LINE.search(line)
        if found:
            yield {**found.groupdict(), "content": _content(found["content"])}


def _content(written: str) -> Json:
    try:
        return mapping(decode_json(written, object))
    except (msgspec.DecodeError, RecursionError):
        return {"reason": written}


def _is_news(record: Json) -> bool:
    return meaning_of("dlrover", text(record, "name")) is not None


def _event(item: Item, record: Json) -> Event:
    content, name = mapping(record, "content"), text(record, "name")
    pod = text(content, "pod_name")
    job_id = find_job(
        item.told, labelled_job(item.told, content, record), [job_of_pod(pod)],
        "Its content has neither job_id nor pod_name.",
    )  # fmt: skip
    reason = first((text(content, "reason"), text(content, "errmsg")))
    fact = Fact(
        source="dlrover",
        identity=(text(record, "event_id"), text(record, "event_time"), text(record, "event_type")),
        meaning=_meaning(record, content),
        job=job(job_id, name=text(content, "job_name")),
        time=moment(record.get("event_time"), item.told.zone),
        message=sentence(f"DLRover {name}", reason),
    )
    return event_of(fact, _labels(record, content, pod) | {"reason": reason})


def _meaning(record: Json, content: Json) -> Meaning:
    name, kind = text(record, "name"), text(record, "event_type")
    found = meaning_of("dlrover", name) or known(NOTICE)
    if name == "#rendezvous":
        trains = "train" in text(content, "rendezvous_type") and kind == "END"
        return known("job.running" if trains else NOTICE)
    if name == "#pod_change" and _FAILED.search(text(content, "to_state")):
        return known("job.worker_failed")
    if kind == "END":
        return known(NOTICE)
    if name in _FAULTS:
        reason = text(content, "reason")
        fallback = "job.worker_failed" if _FAILED.search(reason) else NOTICE
        told = meaning_of_alert("", [reason])
        return told if told.type != NOTICE else known(fallback)
    return found


def _labels(record: Json, content: Json, pod: str) -> dict[str, str]:
    return {
        "worker": worker_of_pod(pod),
        "node": text(content, "node_name"),
        "node_rank": text(content, "node_rank"),
        "restart_round": text(content, "restart_round"),
        "target": text(record, "target"),
    }


ADAPTER = Adapter(name="dlrover", read=_read, recognises=_recognises)
