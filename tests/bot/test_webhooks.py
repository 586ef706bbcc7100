import json
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.webhooks import decode_event, event_unique_id
from rankscope.errors import UnusableInput
from rankscope.model.event import Event, EventJob

MINIMAL = {"id": "e", "type": "job.hang", "job": {"id": "jo-1"}}


def test_the_smallest_event() -> None:
    event = decode_event(json.dumps(MINIMAL).encode())

    assert event == Event(id="e", type="job.hang", job=EventJob(id="jo-1"))


def test_what_is_enqueued_can_be_read_back() -> None:
    event = decode_event(json.dumps({**MINIMAL, "time": "2025-01-01T00:00:00Z"}).encode())
    enqueued = json.loads(json.dumps(msgspec.to_builtins(event)))

    assert msgspec.convert(enqueued, type=Event) == event


@given(st.binary(max_size=50))
def test_no_body_makes_it_stumble(body: bytes) -> None:
    with pytest.raises(UnusableInput):
        decode_event(body)


@given(st.dictionaries(st.sampled_from(sorted(MINIMAL)), st.none() | st.integers() | st.text()))
def test_no_field_makes_it_stumble(change: dict[str, object]) -> None:
    with suppress(UnusableInput):
        decode_event(json.dumps({**MINIMAL, **change}).encode())


def test_the_unique_id_tells_sources_and_ids_apart() -> None:
    ids = {
        event_unique_id(Event(id=id_, source=source, type="job.hang", job=EventJob(id="jo-1")))
        for id_, source in [("a", "b"), ("b", "a"), ("a", "a"), ("", "ab")]
    }

    assert len(ids) == 4
