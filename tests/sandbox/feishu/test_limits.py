import pytest

from sandbox.feishu.clock import StoppedClock
from sandbox.feishu.codes import ApiError
from sandbox.feishu.limits import APP_SECOND, CHAT, Limits


def test_a_sixth_message_within_a_second_is_refused() -> None:
    limits = Limits(StoppedClock())
    for _ in range(5):
        limits.take(CHAT, "oc_1")

    with pytest.raises(ApiError) as refused:
        limits.take(CHAT, "oc_1")

    assert refused.value.code == 230020
    assert refused.value.retry_after_s == pytest.approx(1.0)


def test_other_chats_have_their_own_count() -> None:
    limits = Limits(StoppedClock())
    for _ in range(5):
        limits.take(CHAT, "oc_1")

    limits.take(CHAT, "oc_2")


def test_the_window_slides() -> None:
    clock = StoppedClock()
    limits = Limits(clock)
    for _ in range(5):
        limits.take(CHAT, "oc_1")
        clock.advance(0.2)

    limits.take(CHAT, "oc_1")
    with pytest.raises(ApiError):
        limits.take(CHAT, "oc_1")


def test_the_app_may_call_fifty_times_a_second() -> None:
    limits = Limits(StoppedClock())
    for _ in range(50):
        limits.take(APP_SECOND, "GET /x")

    with pytest.raises(ApiError) as refused:
        limits.take(APP_SECOND, "GET /x")
    assert (refused.value.code, refused.value.status) == (99991400, 429)
