"""The connection to Redis that rides out a restart of the server."""

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import BusyLoadingError, TimeoutError  # noqa: A004 - redis-py's own names
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

WORKER_TRIES = 75
"""About 70 s of patience: RQ workers then outlive a restart of Redis instead of exiting."""
WEB_TRIES = 6
"""Under 2 s of patience: a web process answers 503 while its sender still listens."""
LONGEST_PAUSE_S = 1.0
CONNECT_TIMEOUT_S = 5.0


def connect(url: str, *, patience_tries: int = WEB_TRIES) -> Redis:
    """Return a client for a redis://, rediss:// or unix:// URL; nothing is sent yet.

    While Redis is away or still loading, a command is tried again up to patience_tries times with
    growing pauses of at most a second; then redis.exceptions.ConnectionError is raised.
    """
    return Redis.from_url(
        url,
        socket_connect_timeout=CONNECT_TIMEOUT_S,
        health_check_interval=30,
        retry=Retry(ExponentialBackoff(cap=LONGEST_PAUSE_S, base=0.05), patience_tries),
        retry_on_error=[RedisConnectionError, TimeoutError, BusyLoadingError],
    )
