import time

import pytest

from agent.access import Nonces
from agent.requests import CaptureRequest, decode, moment
from rankscope.errors import UnusableInput
from rankscope.signing import WINDOW_S


def test_defaults() -> None:
    request = decode(b'{"job_id": "jo-1", "start_at": null}', CaptureRequest)
    assert (request.samples, request.interval_s, request.native) == (2, 5.0, ())


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(time, "time", lambda: 5000.0)
    return 5000.0


def test_the_agreed_moment_on_equal_clocks(now: float) -> None:
    assert moment(now + 2, now - 0.5).lead_s() == pytest.approx(2)


def test_the_agreed_moment_is_moved_to_a_skewed_clock(now: float) -> None:
    assert moment(now + 100 + 2, now + 100).lead_s() == pytest.approx(2)


def test_a_moment_that_has_passed_is_now(now: float) -> None:
    assert moment(now - 9, now).lead_s() == 0
    assert moment(None, now).lead_s() == 0


@pytest.mark.parametrize("far", [61.0, float("inf"), float("nan")])
def test_a_moment_too_far_ahead_is_refused(now: float, far: float) -> None:
    with pytest.raises(UnusableInput, match="start_at"):
        moment(now + far, now)


def test_nonces_are_remembered_for_two_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    nonces = Nonces()
    assert nonces.is_new("a")
    clock[0] = 2 * WINDOW_S - 1
    assert not nonces.is_new("a")
    clock[0] += 2
    assert nonces.is_new("b")
    assert nonces.is_new("a")
