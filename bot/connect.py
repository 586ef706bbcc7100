"""The bot's connection to Redis: it gives up soon, so that senders hear 503 instead of waiting."""

from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.retry import Retry

from rankscope.settings import Settings

TIMEOUT_S = 1.0
RETRIES = 3


def connect(settings: Settings) -> Redis:
    """Return a client; nothing is sent yet."""
    return Redis.from_url(
        settings.redis_url,
        socket_timeout=TIMEOUT_S,
        socket_connect_timeout=TIMEOUT_S,
        retry=Retry(ExponentialBackoff(cap=0.5, base=0.05), RETRIES),
        retry_on_error=[RedisConnectionError],
        health_check_interval=30,
    )
