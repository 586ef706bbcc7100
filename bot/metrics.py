"""GET /metrics: requests, queues, agents and listeners, for Prometheus.

Queue numbers are read without RQ's clean-up, which would run failure callbacks in the bot.
"""

import time
from collections.abc import Iterable

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis import Redis
from rq.registry import FailedJobRegistry, StartedJobRegistry
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from bot.listen_metrics import listener_metrics
from rankscope.queueing import Queue, rq_queue
from rankscope.store.state import AGENT_TTL_S, PREFIX

router = APIRouter()


class Metrics:
    """The bot's own registry, so that several apps in one process do not collide."""

    def __init__(self, redis: Redis) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(RedisCollector(redis))
        self.requests = Counter(
            "rankscope_bot_requests_total",
            "Requests by route and HTTP status.",
            ["route", "status"],
            registry=self.registry,
        )


class RedisCollector(Collector):
    """What Redis knows, read when asked."""

    def __init__(self, redis: Redis) -> None:
        self.redis = redis

    def collect(self) -> Iterable[Metric]:
        """Yield lengths of queues, ages of last heartbeats, and how the listeners stand."""
        yield self._queues()
        yield self._heartbeats()
        yield from listener_metrics(self.redis, time.time())

    def describe(self) -> Iterable[Metric]:
        """Yield nothing, so that registering does not ask Redis."""
        return ()

    def _queues(self) -> Metric:
        family = GaugeMetricFamily(
            "rankscope_queue_jobs", "RQ jobs by queue and state.", labels=["queue", "state"]
        )
        for name in Queue:
            queue = rq_queue(self.redis, name)
            started, failed = StartedJobRegistry(queue=queue), FailedJobRegistry(queue=queue)
            family.add_metric([name.value, "queued"], queue.count)
            family.add_metric([name.value, "started"], started.get_job_count(cleanup=False))
            family.add_metric([name.value, "failed"], failed.get_job_count(cleanup=False))
        return family

    def _heartbeats(self) -> Metric:
        """Return ages: a heartbeat is kept AGENT_TTL_S, so what is left of it tells its age."""
        family = GaugeMetricFamily(
            "rankscope_agent_heartbeat_age_seconds",
            "Age of an agent's last heartbeat.",
            labels=["node"],
        )
        prefix = f"{PREFIX}:agent:"
        for key in self.redis.scan_iter(f"{prefix}*"):
            left = float(self.redis.pttl(key)) / 1000
            family.add_metric([key.decode().removeprefix(prefix)], AGENT_TTL_S - left)
        return family


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Answer in Prometheus' text format."""
    registry = request.app.state.metrics.registry
    text = await run_in_threadpool(generate_latest, registry)
    return Response(text, media_type=CONTENT_TYPE_LATEST)
