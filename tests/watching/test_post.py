from collections.abc import Iterator
from contextlib import closing

import pytest

from rankscope.model.event import Event, EventJob
from rankscope.signing import verify_webhook
from rankscope.watching.post import Poster, Refused
from tests.watching.receiver import Receiver

SECRET = "key"
EVENT = Event(id="e-1", type="job.hang", job=EventJob(id="jo-1"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def test_an_event_is_signed_and_accepted(receiver: Receiver) -> None:
    with closing(Poster(receiver.url + "/", SECRET, lambda _: None)) as poster:
        status = poster.post(EVENT)

    (received,) = receiver.received
    verify_webhook(SECRET, received.headers, received.body)
    assert status == "accepted"
    assert received.path == "/webhooks/rankscope"
    assert received.event == EVENT


def test_it_is_sent_until_it_is_accepted(receiver: Receiver) -> None:
    problems: list[str] = []
    receiver.answers = [(503, {}), (429, {})]
    with closing(Poster(receiver.url, SECRET, problems.append)) as poster:
        assert poster.post(EVENT) == "accepted"

    assert len(receiver.received) == 3
    assert problems == ["The bot answered 503.", "The bot answered 429."]


def test_a_bot_that_is_not_there_is_waited_for() -> None:
    problems: list[str] = []
    with Receiver() as later:
        url, port = later.url, later.port

    def come(problem: str) -> None:
        problems.append(problem)
        if len(problems) == 1:
            revived.append(Receiver(port))

    revived: list[Receiver] = []
    with closing(Poster(url, SECRET, come)) as poster:
        assert poster.post(EVENT) == "accepted"

    revived[0].close()
    assert problems[0].startswith("ConnectError")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            (401, {"error": "The signature does not match.", "next_step": "Check the key."}),
            "The signature does not match. Check the key.",
        ),
        ((422, ["odd"]), "422"),
        ((404, "Not Found"), "is the bot there"),
    ],
)
def test_a_refusal_is_final(receiver: Receiver, answer: tuple[int, object], words: str) -> None:
    receiver.answers = [answer]
    with (
        closing(Poster(receiver.url, SECRET, lambda _: None)) as poster,
        pytest.raises(Refused) as raised,
    ):
        poster.post(EVENT)

    assert words in str(raised.value)
    assert len(receiver.received) == 1
