import time
from pathlib import Path

from structlog.testing import capture_logs

from bot.listen_beat import Beat
from bot.listen_health import STALE_S, Health, judge


def test_nobody_has_run(tmp_path: Path) -> None:
    stands, told = judge(tmp_path / "listen.json", time.time())

    assert not stands
    assert "No listener has run" in told


def test_a_connection_stands_until_it_is_stale(tmp_path: Path) -> None:
    path = tmp_path / "new" / "listen.json"
    Health(path).write(7, Beat(connected=True, events=3, failures=1))
    now = time.time()

    assert judge(path, now) == (True, "Connected for 0 s, 3 events, 1 not recorded, 0 restarts.")
    stands, told = judge(path, now + STALE_S + 1)
    assert not stands
    assert "silent for 31 s" in told


def test_why_there_is_no_connection_is_told(tmp_path: Path) -> None:
    path = tmp_path / "listen.json"
    health = Health(path)
    health.write(7, None)
    assert judge(path, time.time()) == (False, "Not connected: starting.")

    health.write(7, Beat(connected=False, problem="ClientException: 514: too many"))
    assert "514: too many" in judge(path, time.time())[1]


def test_replacements_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "listen.json"
    health = Health(path)
    health.replaced("it has said nothing for 31 s")
    assert "said nothing" in judge(path, time.time())[1]

    health.write(8, Beat(connected=True))
    assert "1 restarts" in judge(path, time.time())[1]


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "listen.json"
    path.write_text("{")

    assert "cannot be read" in judge(path, time.time())[1]


def test_a_file_that_cannot_be_written_is_told_once_and_ends_nothing(tmp_path: Path) -> None:
    path = tmp_path / "listen.json"
    health = Health(path)
    health.replaced("first")
    blocked = path.with_suffix(".new")
    blocked.mkdir()

    with capture_logs() as logs:
        health.replaced("second")
        health.ended("third")
    blocked.rmdir()
    health.write(7, Beat(connected=True))

    assert [line["event"] for line in logs] == ["health file not written"]
    assert "2 restarts" in judge(path, time.time())[1]
