"""How the long connections stand, told through Redis, as the bot may run on another host.

A listener that says nothing any more is forgotten after a minute: an alert on its absence tells.
"""

import socket
from collections.abc import Iterable
from typing import cast

import msgspec
import structlog
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from redis import Redis
from redis.exceptions import RedisError

from bot.listen_health import Standing
from rankscope.store.state import PREFIX

KEPT_S = 60
"""Several times the seconds between two reports."""
PATIENCE_S = 2.0
"""The supervisor has a process to watch: it must not wait for Redis."""
_PREFIX = f"{PREFIX}:listener:"

_log = structlog.get_logger()


class Reporter:
    """Puts a listener's standing into Redis as well as Redis is there, and never waits long."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(
            url, socket_connect_timeout=PATIENCE_S, socket_timeout=PATIENCE_S
        )
        self._is_away = False

    def __call__(self, standing: Standing) -> None:
        """Report; what Redis does not take is told with the next report."""
        key = f"{_PREFIX}{socket.gethostname()}"
        try:
            self._redis.set(key, msgspec.json.encode(standing), ex=KEPT_S)
        except RedisError as error:
            if not self._is_away:
                _log.warning("standing not reported", error=str(error))
            self._is_away = True
        else:
            self._is_away = False


def listener_metrics(redis: Redis, now: float) -> Iterable[Metric]:
    """Yield what the listeners reported; now is in seconds since the epoch."""
    connected = GaugeMetricFamily(
        "rankscope_listener_connected",
        "Whether the long connection to Feishu is open.",
        labels=["host"],
    )
    restarts = CounterMetricFamily(
        "rankscope_listener_restarts",
        "How often the process that holds the long connection was replaced.",
        labels=["host"],
    )
    age = GaugeMetricFamily(
        "rankscope_listener_last_event_age_seconds",
        "Age of the last event over the long connection; absent before the first one.",
        labels=["host"],
    )
    for host, standing in _standings(redis):
        connected.add_metric([host], float(standing.connected))
        restarts.add_metric([host], standing.replaced)
        if standing.last_event_at:
            age.add_metric([host], max(0.0, now - standing.last_event_at))
    return connected, restarts, age


def _standings(redis: Redis) -> Iterable[tuple[str, Standing]]:
    for key in redis.scan_iter(f"{_PREFIX}*"):
        raw = cast("bytes | None", redis.get(key))
        if raw is not None:
            yield key.decode().removeprefix(_PREFIX), msgspec.json.decode(raw, type=Standing)
