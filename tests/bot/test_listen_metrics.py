"""The standing of a listener reaches the bot's metrics through Redis."""

import socket
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest
from redis import Redis
from structlog.testing import capture_logs

from bot.listen_beat import Beat
from bot.listen_health import Health
from bot.listen_metrics import KEPT_S, Reporter, listener_metrics
from bot.metrics import RedisCollector

HOST = socket.gethostname()


def metrics(redis: Redis) -> str:
    registry = CollectorRegistry()
    registry.register(RedisCollector(redis))
    return generate_latest(registry).decode()


def test_a_listener_is_seen_with_its_restarts_and_its_last_event(
    redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    health = Health(tmp_path / "listen.json", Reporter(redis_url))
    health.replaced("it has said nothing for 31 s")
    assert f'rankscope_listener_connected{{host="{HOST}"}} 0.0' in metrics(redis)

    health.write(7, Beat(connected=True, events=1, last_event_at=1.0))
    text = metrics(redis)
    assert f'rankscope_listener_connected{{host="{HOST}"}} 1.0' in text
    assert f'rankscope_listener_restarts_total{{host="{HOST}"}} 1.0' in text
    assert f'rankscope_listener_last_event_age_seconds{{host="{HOST}"}}' in text


def test_the_age_of_the_last_event_is_counted_from_now(
    redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    beat = Beat(connected=True, last_event_at=1000.0)
    Health(tmp_path / "listen.json", Reporter(redis_url)).write(7, beat)
    ages = [m for m in listener_metrics(redis, 1030.0) if m.name.endswith("age_seconds")]

    assert [sample.value for sample in ages[0].samples] == [30.0]


def test_a_listener_without_an_event_has_no_age_and_is_forgotten_in_time(
    redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    Health(tmp_path / "listen.json", Reporter(redis_url)).write(7, Beat(connected=True))

    assert f'last_event_age_seconds{{host="{HOST}"}}' not in metrics(redis)
    assert 0 < redis.ttl(f"rankscope:listener:{HOST}") <= KEPT_S


def test_without_redis_the_file_is_written_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "listen.json"
    health = Health(path, Reporter("unix:///nonexistent/redis.sock"))
    with capture_logs() as logs:
        for reason in ("one", "two"):
            health.replaced(reason)

    assert b'"reason":"two"' in path.read_bytes()
    assert [line["event"] for line in logs] == ["standing not reported"]
