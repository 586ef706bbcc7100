"""POST /agents/heartbeat: an agent says where it is and which jobs it sees."""

from functools import partial
from typing import Annotated

import msgspec
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from bot.body import read_body
from bot.replays import is_new_nonce
from bot.shared import settings_of, state_of
from rankscope.decoding import decode_json
from rankscope.errors import UnusableInput
from rankscope.model.event import JobId
from rankscope.model.state import AgentBeat
from rankscope.networks import check_endpoint
from rankscope.signing import verify_request

PATH = "/agents/heartbeat"
NodeName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$(?!\n)")]

router = APIRouter()


@router.post(PATH)
async def receive(request: Request) -> dict[str, str]:
    """Record a heartbeat."""
    body = await read_body(request)
    await run_in_threadpool(_record, request, body)
    return {"status": "recorded"}


def _record(request: Request, body: bytes) -> None:
    settings, state = settings_of(request), state_of(request)
    key = settings.agent_secret.get_secret_value()
    verify_request(
        key, request.method, PATH, request.headers, body, partial(is_new_nonce, state.redis)
    )
    beat = decode_beat(body)
    check_endpoint(beat.endpoint, settings.agent_networks)
    state.beat(beat)


def decode_beat(body: bytes) -> AgentBeat:
    """Read a heartbeat; raises UnusableInput."""
    try:
        beat = decode_json(body, AgentBeat)
        msgspec.convert(beat.node, type=NodeName)
        msgspec.convert([job.job_id for job in beat.jobs], type=list[JobId])
    except msgspec.DecodeError as error:
        raise UnusableInput(f"The heartbeat cannot be read: {error}.") from None
    return beat
