from collections.abc import Iterator
from contextlib import closing

import pytest

from rankscope.errors import ConfigurationError
from rankscope.model.event import Event, EventJob
from rankscope.signing import verify_webhook
from rankscope.watching.post import NotNow, Poster, Refused, RefusedAll
from tests.watching.receiver import Receiver

SECRET = "key"
EVENT = Event(id="e-1", type="job.hang", job=EventJob(id="jo-1"))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def test_an_event_is_signed_and_accepted(receiver: Receiver) -> None:
    with closing(Poster(receiver.url + "/", SECRET)) as poster:
        first, second = poster.post(EVENT), poster.post(EVENT)

    received = receiver.received[0]
    verify_webhook(SECRET, received.headers, received.body)
    assert (first, second) == ("accepted", "duplicate")
    assert received.path == "/webhooks/rankscope"
    assert received.event == EVENT


@pytest.mark.parametrize("code", [408, 425, 429, 500, 502, 503, 504])
def test_some_answers_mean_later(receiver: Receiver, code: int) -> None:
    receiver.answers = [(code, {})]

    with closing(Poster(receiver.url, SECRET)) as poster, pytest.raises(NotNow, match=str(code)):
        poster.post(EVENT)


def test_a_bot_that_is_not_there_may_come_later() -> None:
    with Receiver() as receiver:
        url = receiver.url

    with closing(Poster(url, SECRET)) as poster, pytest.raises(NotNow, match="ConnectError"):
        poster.post(EVENT)


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        (
            (401, {"error": "The signature does not match.", "next_step": "Check the key."}),
            RefusedAll,
            "The signature does not match. Check the key.",
        ),
        ((403, {"error": "No."}), RefusedAll, "403"),
        ((422, ["odd"]), Refused, "422"),
        ((413, {"error": "Too large."}), Refused, "Too large."),
        ((404, "Not Found"), RefusedAll, "is the bot there"),
        ((200, "<html>"), RefusedAll, "is the bot there"),
        ((302, ""), RefusedAll, "302"),
    ],
)
def test_a_refusal_is_of_this_event_or_of_all(
    receiver: Receiver, answer: tuple[int, object], kind: type[Refused], words: str
) -> None:
    receiver.answers = [answer]
    with closing(Poster(receiver.url, SECRET)) as poster, pytest.raises(Refused) as raised:
        poster.post(EVENT)

    assert type(raised.value) is kind
    assert words in str(raised.value)
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    "url", ["nonsense", "", "bot:8000", "ftp://bot", "http://", "http://[x", "http://b:99999"]
)
def test_what_is_no_address_is_said_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match="is not the address of a bot"):
        Poster(url, SECRET)
