import pytest

from sandbox.feishu.clock import StoppedClock
from sandbox.feishu.codes import ApiError
from sandbox.feishu.sent import SentOnce


def test_a_uuid_is_remembered_for_an_hour() -> None:
    clock = StoppedClock()
    sent = SentOnce(clock)
    sent.remember("u", "om_1")
    clock.advance(3599)
    assert sent.message_of("u") == "om_1"
    clock.advance(1)
    assert sent.message_of("u") is None


def test_no_uuid_is_never_remembered() -> None:
    sent = SentOnce(StoppedClock())
    sent.remember("", "om_1")

    assert sent.message_of("") is None


def test_a_uuid_has_at_most_fifty_characters() -> None:
    sent = SentOnce(StoppedClock())
    assert sent.message_of("x" * 50) is None

    with pytest.raises(ApiError) as refused:
        sent.message_of("x" * 51)
    assert refused.value.code == 230001
