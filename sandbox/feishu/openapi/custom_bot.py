"""A group's custom bot: an incoming webhook, which takes a message without the app's token.

Its answer has the platform's older names beside the newer ones. The signature is HMAC-SHA256 of
nothing, keyed with time and secret; a time more than an hour away is refused.
"""

import base64
import hashlib
import hmac
import json

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from sandbox.feishu.codes import ApiError
from sandbox.feishu.content import accept
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.limits import CHAT
from sandbox.feishu.openapi.gateway import body_of, emulator_of
from sandbox.feishu.world import Draft

Json = dict[str, object]
MOST_BYTES = 20 * 1024
HOUR_S = 3600
BAD_REQUEST, BAD_SIGN, BUSY = 9499, 19021, 11232
router = APIRouter(prefix="/open-apis/bot/v2/hook")


@router.post("/{token}")
async def post(request: Request, token: str) -> Response:
    """Post a message to a group; its custom bot's token is here the group's chat_id."""
    emulator, raw = emulator_of(request), await request.body()
    chat = emulator.world.chats.get(token)
    if len(raw) > MOST_BYTES or chat is None:
        return _refusal(BAD_REQUEST, "Bad Request")
    body = await body_of(request)
    secret = emulator.options.hook_secret
    if secret and not _is_signed(emulator, body, secret):
        return _refusal(BAD_SIGN, "sign match fail or timestamp is not within one hour")
    kind = str(body.get("msg_type", ""))
    content = body.get("card" if kind == "interactive" else "content")
    try:
        accepted = accept(kind, json.dumps(content, ensure_ascii=False), emulator.world)
        emulator.limits.take(CHAT, chat.chat_id)
    except ApiError as error:
        code = BUSY if error.code == 230020 else BAD_REQUEST
        return _refusal(code, error.message)
    draft = Draft(
        chat_id=chat.chat_id,
        sender=emulator.world.bot,
        msg_type=kind,
        content=accepted.content,
        mentions=accepted.mentions,
    )
    emulator.world.post(draft)
    return JSONResponse(
        {"code": 0, "msg": "success", "data": {}, "StatusCode": 0, "StatusMessage": "success"}
    )


def _refusal(code: int, message: str) -> Response:
    return JSONResponse({"code": code, "msg": message, "data": {}})


def _is_signed(emulator: Emulator, body: Json, secret: str) -> bool:
    given, at = str(body.get("sign", "")), str(body.get("timestamp", ""))
    if not at.isdecimal() or abs(emulator.clock.now_ms() / 1000 - int(at)) > HOUR_S:
        return False
    digest = hmac.new(f"{at}\n{secret}".encode(), digestmod=hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest).decode().encode(), given.encode())
