"""POST /webhooks/{source}: a platform, an alert manager or a log watcher tells of jobs."""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Annotated

import msgspec
import structlog
from fastapi import APIRouter, Path, Request
from redis import Redis
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from bot.adapters.adapter import Adapter, Told
from bot.adapters.canonical import ADAPTER as CANONICAL
from bot.adapters.reading import read_events
from bot.adapters.table import adapter_named
from bot.body import LIMIT, read_body
from bot.shared import settings_of, state_of
from bot.webhook_access import check_access, secret_of
from bot.webhook_schema import DESCRIPTION, OPERATION, RESPONSES, SOURCES
from rankscope.errors import NotAllowed, RankscopeError
from rankscope.model.event import Event
from rankscope.networks import check_endpoint
from rankscope.queueing import Task, submit
from rankscope.settings import Settings
from rankscope.signing import WINDOW_S

FOREIGN_LIMIT = 1024 * 1024
"""Alertmanager sends a group of alerts in one body, and gives up when it is refused."""
MOST_REFUSALS = 20
JOB_HEADER = "X-Rankscope-Job"

Source = Annotated[str, Path(json_schema_extra=SOURCES)]

router = APIRouter()
_log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a body: its events, whether each was new, and why others were refused."""

    recorded: tuple[tuple[Event, bool], ...] = ()
    refused: tuple[RankscopeError, ...] = field(default=())


@router.post(
    "/webhooks/{source}",
    status_code=202,
    summary="Tell of jobs",
    description=DESCRIPTION,
    responses=RESPONSES,
    openapi_extra=OPERATION,
)
async def receive(source: Source, request: Request) -> JSONResponse:
    """Check, read, record and enqueue the events of a body, and say which were new."""
    settings, adapter = settings_of(request), adapter_named(source)
    body = await read_body(request, LIMIT if adapter is CANONICAL else FOREIGN_LIMIT)
    check_access(secret_of(settings, source, adapter.name), request.headers, body)
    told = _told(request, settings)
    work = partial(_take, state_of(request).redis, adapter, body, told, settings)
    outcome = await run_in_threadpool(work)
    if not outcome.recorded:
        raise _refusal(outcome.refused)
    return JSONResponse(_answer(outcome), 202)


def _told(request: Request, settings: Settings) -> Told:
    query = request.query_params
    return Told(
        job=query.get("job") or request.headers.get(JOB_HEADER, ""),
        headers=dict(request.headers),
        job_labels=settings.webhook_job_labels,
        zone=datetime.strptime(settings.webhook_timezone, "%z").tzinfo or UTC,
        language=settings.language,
    )


def _take(redis: Redis, adapter: Adapter, body: bytes, told: Told, settings: Settings) -> Outcome:
    reading = read_events(adapter, body, told)
    recorded: list[tuple[Event, bool]] = []
    refused: list[RankscopeError] = list(reading.refused)
    for event in reading.events:
        try:
            fresh = record(redis, timed(event, time.time()), settings)
        except NotAllowed as error:
            refused.append(error)
            continue
        recorded.append((event, fresh))
        _log.info(
            "event", fresh=fresh, source=event.source, event_id=event.id, type=event.type,
            job_id=event.job.id,
        )  # fmt: skip
    return Outcome(tuple(recorded), tuple(refused))


def timed(event: Event, now: float) -> Event:
    """Return the event with the time of its receipt where it has none, or one that is to come.

    A time to come would make every later event of the job an outdated one.
    """
    received = datetime.fromtimestamp(now, UTC)
    if event.time is None:
        return replace(event, time=received)
    if event.time <= received + timedelta(seconds=WINDOW_S):
        return event
    return replace(event, time=received, labels={**event.labels, "time_source": "received"})


def record(redis: Redis, event: Event, settings: Settings) -> bool:
    """Record and enqueue an event once; False when it was recorded before.

    Raises NotAllowed for an agent outside the agent networks, RedisError when nothing was recorded.
    """
    for node in event.nodes:
        if node.endpoint:
            check_endpoint(node.endpoint, settings.agent_networks)
    unique_id = event_unique_id(event)
    return submit(redis, Task.HANDLE_EVENT, msgspec.to_builtins(event), unique_id=unique_id)


def event_unique_id(event: Event) -> str:
    """Return the id under which an event is recorded once, whatever its source calls it."""
    digest = hashlib.sha256(f"{event.source}\n{event.id}".encode()).hexdigest()
    return f"event-{digest}"


def _answer(outcome: Outcome) -> dict[str, object]:
    fresh = any(fresh for _, fresh in outcome.recorded)
    return {
        "status": _status(fresh=fresh),
        "id": outcome.recorded[0][0].id,
        "events": [
            {"id": one.id, "type": one.type, "job": one.job.id, "status": _status(fresh=fresh)}
            for one, fresh in outcome.recorded
        ],
        "refused": [
            {"error": one.what, "next_step": one.next_step}
            for one in outcome.refused[:MOST_REFUSALS]
        ],
        "refused_count": len(outcome.refused),
    }


def _status(*, fresh: bool) -> str:
    return "accepted" if fresh else "duplicate"


def _refusal(refused: Iterable[RankscopeError]) -> RankscopeError:
    """Return one error for a body of which nothing could be recorded."""
    first, *others = refused
    if not others:
        return first
    what = f"None of {len(others) + 1} items could be recorded. The first: {first.what}"
    return type(first)(what, first.next_step)
