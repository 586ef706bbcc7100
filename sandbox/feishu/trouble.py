"""Trouble on request: the part of the control API that lets things go wrong or out of order."""

import json

import httpx
import msgspec
from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from sandbox.feishu.connections import NotConnected
from sandbox.feishu.control import as_json, only_from_here, read_body
from sandbox.feishu.openapi.gateway import emulator_of
from sandbox.feishu.troubles import make_trouble, under_way

Json = dict[str, object]
GATEWAY_TIMEOUT = 504
router = APIRouter(prefix="/emulator/api", dependencies=[Depends(only_from_here)])


class Reorder(msgspec.Struct, frozen=True):
    """How many events to collect before they are delivered, the last one first."""

    count: int


class Where(msgspec.Struct, frozen=True):
    """The chat that is meant, empty for any."""

    chat_id: str = ""


@router.get("/trouble")
async def list_trouble(request: Request) -> Response:
    """List what is still to go wrong."""
    return as_json({"under_way": under_way(emulator_of(request))})


@router.post("/trouble/{name}")
async def start_trouble(request: Request, name: str) -> Response:
    """Let something go wrong, by its name on the fault panel."""
    emulator, where = emulator_of(request), await read_body(request, Where)
    await make_trouble(emulator, name, where.chat_id)
    return as_json({"under_way": under_way(emulator)})


@router.post("/connections/drop")
async def drop(request: Request) -> Response:
    """Close all long connections."""
    return as_json({"connections": await emulator_of(request).connections.drop()})


@router.post("/connections/silence")
async def silence(request: Request) -> Response:
    """Keep all long connections open but dead."""
    return as_json({"connections": emulator_of(request).connections.silence()})


@router.post("/deliveries/reorder")
async def reorder(request: Request) -> Response:
    """Deliver the next events the last one first; a count of 0 delivers what is held back."""
    deliveries = emulator_of(request).deliveries
    wanted = await read_body(request, Reorder)
    if wanted.count > 0:
        deliveries.reorder(wanted.count)
    else:
        deliveries.release()
    return as_json({"count": wanted.count})


@router.post("/deliver")
async def deliver(request: Request) -> Response:
    """Deliver an envelope of the caller's own, once, and return the bot's answer."""
    emulator = emulator_of(request)
    payload = await read_body(request, Json)
    try:
        carried = await emulator.carrier.carry(payload, emulator.subscription.click_url)
    except (TimeoutError, httpx.HTTPError, NotConnected) as error:
        reason = str(error) or type(error).__name__
        return JSONResponse({"error": reason}, GATEWAY_TIMEOUT)
    shown = {
        "status": carried.status,
        "answer": _object(carried.body),
        "took_ms": carried.took_ms,
    }
    return as_json(shown)


def _object(body: bytes) -> Json:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
