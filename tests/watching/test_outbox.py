from collections.abc import Iterator
from contextlib import closing

import pytest

from rankscope.model.event import Event, EventJob
from rankscope.watching.outbox import LONGEST_WAIT_S, Outbox
from rankscope.watching.post import Poster, RefusedAll
from tests.watching.receiver import Receiver

Told = list[tuple[str, dict[str, object]]]


def event(number: int) -> Event:
    return Event(id=f"e-{number}", type="job.hang", job=EventJob(id="jo-1"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def told() -> Told:
    return []


@pytest.fixture
def outbox(receiver: Receiver, told: Told) -> Iterator[Outbox]:
    with closing(Poster(receiver.url, "key")) as poster:
        yield Outbox(poster, lambda name, **rest: told.append((name, rest)), [event(0)])


def test_what_an_earlier_process_left_is_sent_first(outbox: Outbox, receiver: Receiver) -> None:
    outbox.put(event(1))

    assert outbox.send(0)

    assert [one.event.id for one in receiver.received] == ["e-0", "e-1"]
    assert outbox.events == ()
    assert not outbox.send(0)


def test_a_busy_bot_is_tried_later_and_in_order(
    outbox: Outbox, receiver: Receiver, told: Told
) -> None:
    receiver.answers = [(503, {}), (429, {})]
    outbox.put(event(1))
    now = 0.0
    while outbox.events:
        outbox.send(now)
        now += 0.25

    assert [one.event.id for one in receiver.received] == ["e-0", "e-0", "e-0", "e-1"]
    assert [name for name, _ in told] == [*["watch-retrying"] * 2, *["watch-event-accepted"] * 2]
    assert told[0][1]["waiting"] == 2


def test_an_hour_without_a_bot_loses_nothing_and_is_no_storm(told: Told) -> None:
    with Receiver() as gone:
        url, port = gone.url, gone.port
    with closing(Poster(url, "key")) as poster:
        outbox = Outbox(poster, lambda name, **rest: told.append((name, rest)), [event(0)])
        for second in range(3600):
            outbox.send(float(second))
        tries = len(told)
        with Receiver(port) as back:
            outbox.send(3600 + LONGEST_WAIT_S)

    assert [one.event.id for one in back.received] == ["e-0"]
    assert 3600 / LONGEST_WAIT_S <= tries <= 3 * 3600 / LONGEST_WAIT_S


def test_an_event_the_bot_will_never_take_is_told_and_left_out(
    outbox: Outbox, receiver: Receiver, told: Told
) -> None:
    receiver.answers = [(422, {"error": "No such type.", "next_step": "Name another."})]
    outbox.put(event(1))

    outbox.send(0)

    assert [name for name, _ in told] == ["watch-refused", "watch-event-accepted"]
    assert "No such type. Name another." in str(told[0][1]["problem"])
    assert outbox.events == ()


def test_a_bot_that_refuses_all_ends_it_and_the_events_stay(
    outbox: Outbox, receiver: Receiver
) -> None:
    receiver.answers = [(401, {"error": "The signature does not match."})]

    with pytest.raises(RefusedAll, match="signature"):
        outbox.send(0)

    assert outbox.events == (event(0),)
