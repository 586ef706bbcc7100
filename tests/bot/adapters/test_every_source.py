"""What holds for every adapter alike."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.adapters.table import ADAPTERS, BY_NAME
from rankscope.errors import UnusableInput
from rankscope.model.event import Event
from tests.bot.adapters.payloads import BODIES, event, events, reading

DOCUMENT = Path(__file__).parents[3] / "docs/webhooks.md"
NAMES = sorted(BODIES)
SOURCES = sorted(adapter.name for adapter in ADAPTERS)
JUNK = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20), st.just([]), st.just({}), st.lists(st.integers(), max_size=2),
    st.just("x" * 5000), st.just("\x00\u202e<at id=all></at>"), st.just("9999-12-31T23:59:59Z"),
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_body_becomes_one_event_of_its_job(name: str) -> None:
    source, body, type_, job = BODIES[name]
    found = event(source, body)

    assert (found.type, found.job.id) == (type_, job)
    assert found.message
    assert found.labels.get("time_source", "") == ("" if found.time else "received")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_body_gives_the_same_id(name: str) -> None:
    source, body, _, _ = BODIES[name]

    assert event(source, body) == event(source, body)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_name_of_a_source_is_documented(name: str) -> None:
    rows = re.findall(r"^\| (`[^|]+) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)

    assert any(f"`{name}`" in row for row in rows)


def test_different_bodies_give_different_ids() -> None:
    found = [event(source, body) for source, body, _, _ in BODIES.values()]

    assert len({(one.source, one.id) for one in found}) == len(found)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "a pipeline's task"])
def test_the_time_is_that_of_the_source(name: str) -> None:
    if name == "nvrx":
        return  # Its findings have none.
    source, body, _, _ = BODIES[name]
    time = event(source, body).time

    assert time is not None
    assert time.isoformat()[:10] == "2025-03-02"


@pytest.mark.parametrize("name", NAMES)
def test_unknown_fields_are_tolerated(name: str) -> None:
    source, body, type_, job = BODIES[name]
    if not isinstance(body, dict):
        return
    found = event(source, {**body, "novelty": {"deep": [1, {"er": None}]}, "x": "y"})

    assert (found.type, found.job.id) == (type_, job)


@pytest.mark.parametrize("name", NAMES)
def test_the_shape_is_recognised_under_the_generic_address(name: str) -> None:
    source, body, type_, job = BODIES[name]
    found = event("generic", body)

    assert (found.type, found.job.id) == (type_, job)
    assert found.source == event(source, body).source


@pytest.mark.parametrize("name", NAMES)
def test_many_in_one_list_are_many_events(name: str) -> None:
    source, body, _, _ = BODIES[name]
    if not isinstance(body, dict):
        return

    assert len(events(source, [body, body])) == 2


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything inside a JSON value."""
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, one in inner:
        yield from places(one, (*path, key))


def put(value: object, path: tuple[Any, ...], new: object) -> object:
    """Return a copy with another value at a path; Ellipsis takes it away."""
    if not path:
        return None if new is ... else new
    copy = dict(value) if isinstance(value, dict) else list(value)  # type: ignore[call-overload]
    key, *rest = path
    if not rest and new is ...:
        del copy[key]
    else:
        copy[key] = put(copy[key], tuple(rest), new)
    return copy


def assert_harmless(source: str, raw: bytes, **told: Any) -> None:
    """Either events that the RQ workers can read back, or refusals that say what is missing."""
    try:
        found = reading(source, raw, **told)
    except UnusableInput:
        return
    assert found.events or found.refused
    for one in found.events:
        enqueued = json.loads(json.dumps(msgspec.to_builtins(one)))
        assert msgspec.convert(enqueued, Event) == one
    assert all(refused.what for refused in found.refused)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_a_mangled_body_is_read_or_refused(name: str, data: st.DataObject) -> None:
    source, body, _, _ = BODIES[name]
    told = {"job": data.draw(st.sampled_from(["", "exp-7", "../x"]))}
    if isinstance(body, bytes):
        at = data.draw(st.integers(0, len(body)))
        assert_harmless(
            source, body[:at] + data.draw(st.binary(max_size=4)) + body[at + 1 :], **told
        )
        return
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(places(body))))
        body = put(body, path, data.draw(st.one_of(JUNK, st.just(...))))
    assert_harmless(source, json.dumps(body).encode(), **told)


@settings(max_examples=60, deadline=None)
@given(raw=st.binary(max_size=60), job=st.sampled_from(["", "exp-7"]))
@pytest.mark.parametrize("source", SOURCES)
def test_any_bytes_are_read_or_refused(source: str, raw: bytes, job: str) -> None:
    assert_harmless(source, raw, job=job)


ANY = st.recursive(JUNK, lambda inner: st.dictionaries(
    st.sampled_from(["job", "id", "job_id", "type", "event", "status", "data", "alerts", "labels",
                     "metadata", "kind", "apiVersion", "conditions", "env", "time", "schema"]),
    inner, max_size=5) | st.lists(inner, max_size=3), max_leaves=15)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(value=ANY)
@pytest.mark.parametrize("source", SOURCES)
def test_any_json_is_read_or_refused(source: str, value: object) -> None:
    assert_harmless(source, json.dumps(value).encode(), job="exp-7")
    assert_harmless(source, json.dumps(value).encode())
