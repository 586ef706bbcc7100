from datetime import UTC, datetime, timedelta

import pytest

from bot.webhooks import event_unique_id, timed
from rankscope.model.event import Event, EventJob

NOW = datetime(2025, 3, 2, 10, 0, tzinfo=UTC)
PLAIN = Event(id="e", type="job.hang", job=EventJob(id="jo-1"))


def test_the_unique_id_tells_sources_and_ids_apart() -> None:
    ids = {
        event_unique_id(Event(id=id_, source=source, type="job.hang", job=EventJob(id="jo-1")))
        for id_, source in [("a", "b"), ("b", "a"), ("a", "a"), ("", "ab")]
    }

    assert len(ids) == 4


@pytest.mark.parametrize("ahead_s", [-86_400, 0, 240])
def test_the_time_of_a_source_is_kept(ahead_s: float) -> None:
    told = NOW + timedelta(seconds=ahead_s)

    assert timed(_at(PLAIN, told), NOW.timestamp()).time == told


def test_no_time_and_a_time_to_come_become_that_of_the_receipt() -> None:
    assert timed(PLAIN, NOW.timestamp()).time == NOW

    late = timed(_at(PLAIN, NOW + timedelta(days=1)), NOW.timestamp())
    assert late.time == NOW
    assert late.labels["time_source"] == "received"


def _at(event: Event, time: datetime) -> Event:
    return Event(id=event.id, type=event.type, job=event.job, time=time)
