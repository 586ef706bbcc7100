"""POST /webhooks/rankscope: a platform, an alert manager or a log watcher tells of a job."""

import hashlib
import re

import msgspec
import structlog
from fastapi import APIRouter, Request
from redis import Redis
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from bot.body import read_body
from bot.shared import settings_of, state_of
from rankscope.errors import UnusableInput
from rankscope.model.event import EVENT_SCHEMA, Event
from rankscope.networks import check_endpoint
from rankscope.queueing import Task, submit
from rankscope.settings import Settings
from rankscope.signing import verify_webhook

router = APIRouter()
_log = structlog.get_logger()

_PLACE = re.compile(r"^(?P<what>.*) - at `(?P<place>[^`]*)`$", re.DOTALL)
_FORMAT = "docs/webhooks.md shows the format `rankscope.event/1`."


@router.post("/webhooks/rankscope")
async def receive(request: Request) -> JSONResponse:
    """Check, decode, record and enqueue an event, and say whether it was new."""
    settings = settings_of(request)
    body = await read_body(request)
    verify_webhook(settings.webhook_secret.get_secret_value(), request.headers, body)
    event = decode_event(body)
    fresh = await run_in_threadpool(_record, state_of(request).redis, event, settings)
    status = "accepted" if fresh else "duplicate"
    _log.info("event", status=status, event_id=event.id, type=event.type, job_id=event.job.id)
    return JSONResponse({"status": status, "id": event.id}, 202)


def _record(redis: Redis, event: Event, settings: Settings) -> bool:
    for node in event.nodes:
        if node.endpoint:
            check_endpoint(node.endpoint, settings.agent_networks)
    unique_id = event_unique_id(event)
    return submit(redis, Task.HANDLE_EVENT, msgspec.to_builtins(event), unique_id=unique_id)


def event_unique_id(event: Event) -> str:
    """Return the id under which an event is recorded once, whatever its source calls it."""
    digest = hashlib.sha256(f"{event.source}\n{event.id}".encode()).hexdigest()
    return f"event-{digest}"


def decode_event(body: bytes) -> Event:
    """Read an event; raises UnusableInput that names the field and what is expected there."""
    try:
        event = msgspec.json.decode(body, type=Event)
    except msgspec.ValidationError as error:
        raise UnusableInput(_explain(str(error)), _FORMAT) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnusableInput(f"The body is not JSON: {error}.", _FORMAT) from None
    if event.schema != EVENT_SCHEMA:
        raise UnusableInput(f"schema: expected {EVENT_SCHEMA}, got {event.schema[:80]}.", _FORMAT)
    return event


def _explain(error: str) -> str:
    """Turn "Expected `str`, got `int` - at `$.job.id`" into "job.id: expected `str`, …"."""
    found = _PLACE.match(error)
    what = found["what"] if found else error
    place = found["place"].removeprefix("$").removeprefix(".") if found else ""
    return f"{place or 'event'}: {what[:1].lower()}{what[1:]}."
