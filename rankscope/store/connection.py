"""Connections to Redis that ride out a restart of the server."""

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import BusyLoadingError, ConnectionError, TimeoutError  # noqa: A004
from redis.retry import Retry

# At a cap of 1 s a try these are seconds: RQ workers wait out a restart, the bot answers 503 soon.
WORKER_TRIES = 75
BOT_TRIES = 6


def connect(url: str, *, tries: int) -> Redis:
    """Return a client that repeats a failed call up to `tries` times, with growing pauses."""
    return Redis.from_url(
        url,
        socket_connect_timeout=2,
        socket_keepalive=not url.startswith("unix:"),
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=1, base=0.05), tries),
        retry_on_error=[ConnectionError, TimeoutError, BusyLoadingError],
    )
