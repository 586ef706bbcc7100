import pytest

from bot.listen_beat import PONG_GRACE_S, SILENT_S, START_S, UNCONNECTED_S, Beat, Pulse

GOOD = Beat(connected=True, ping_s=10.0)
AWAY = Beat(connected=False, problem="refused")


def after(beat: Beat | None, seconds: float) -> str:
    pulse = Pulse(started_at=1000.0)
    if beat is not None:
        pulse.feel(beat, 1000.0)
    return pulse.trouble(1000.0 + seconds)


def test_a_beating_process_is_left_alone() -> None:
    assert after(GOOD, 1) == ""
    assert after(None, 1) == ""


def test_a_process_that_falls_silent_is_replaced() -> None:
    assert after(GOOD, SILENT_S) == ""
    assert "said nothing for 31 s" in after(GOOD, SILENT_S + 1)


def test_a_process_that_loads_has_more_time() -> None:
    assert after(None, START_S) == ""
    assert "said nothing" in after(None, START_S + 1)


@pytest.mark.parametrize("first", [GOOD, AWAY])
def test_a_process_that_no_longer_connects_is_replaced(first: Beat) -> None:
    pulse = Pulse(started_at=1000.0)
    pulse.feel(first, 1000.0)
    pulse.feel(AWAY, 1000.0 + UNCONNECTED_S)
    assert pulse.trouble(1000.0 + UNCONNECTED_S) == ""
    pulse.feel(AWAY, 1001.0 + UNCONNECTED_S)

    assert "not connected for 181 s" in pulse.trouble(1001.0 + UNCONNECTED_S)


def test_a_connection_over_which_no_pong_comes_is_dead() -> None:
    assert after(Beat(connected=True, ping_s=10.0, heard_s=20 + PONG_GRACE_S), 1) == ""
    dead = Beat(connected=True, ping_s=10.0, heard_s=21 + PONG_GRACE_S)

    assert "not been heard of for 51 s" in after(dead, 1)


def test_without_pings_silence_means_nothing() -> None:
    assert after(Beat(connected=True, heard_s=9999.0), 1) == ""
