"""POST /feishu/events: what Feishu pushes. Checked here, acted on in bot.receiving."""

import time
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import Response

from bot.body import read_body
from bot.receiving import Receiver, receive
from bot.shared import identity_of, settings_of, state_of
from rankscope.feishu.inbound import open_envelope

router = APIRouter()


@router.post("/feishu/events")
async def pushed(request: Request) -> Response:
    """Check a push, record what it asks for, and answer."""
    settings = settings_of(request)
    envelope = open_envelope(
        await read_body(request),
        request.headers,
        settings.feishu_encrypt_key.get_secret_value(),
        settings.feishu_verification_token.get_secret_value(),
        time.time(),
    )
    if envelope.challenge is not None:
        return _json({"challenge": envelope.challenge})
    receiver = Receiver(state_of(request), settings, identity_of(request))
    return _json(await receive(receiver, envelope))


def _json(answer: dict[str, Any]) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")
