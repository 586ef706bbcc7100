"""What every call of the open platform passes: log id, injected faults, token, frequency."""

import asyncio
import json
import secrets
from typing import cast

from fastapi import Request
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sandbox.feishu.codes import ApiError, error_body
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.faults import Fault
from sandbox.feishu.limits import APP_MINUTE, APP_SECOND

Json = dict[str, object]
PLATFORM: tuple[str, ...] = ("/open-apis/", "/callback/")


def emulator_of(request: HTTPConnection) -> Emulator:
    """Return the emulator behind a request."""
    return cast("Emulator", request.app.state.emulator)


async def gate(request: Request) -> None:
    """Check the token and the frequency of a call; raises ApiError."""
    emulator = emulator_of(request)
    emulator.tenant_tokens.check(request.headers.get("Authorization", ""))
    call = f"{request.method} {request.scope['route'].path}"
    emulator.limits.take(APP_SECOND, call)
    emulator.limits.take(APP_MINUTE, call)


async def body_of(request: Request) -> Json:
    """Return the JSON object in a request; raises ApiError 9499."""
    try:
        value = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise ApiError(9499, "the body is not JSON") from error
    if not isinstance(value, dict):
        raise ApiError(9499, "the body is not a JSON object")
    return value


def text_of(body: Json, name: str, default: str | None = None) -> str:
    """Return a string of the body; raises ApiError 230001 when it is missing."""
    value = body.get(name, default)
    if not isinstance(value, str):
        raise ApiError(230001, f"{name} is required")
    return value


def success(data: Json) -> Json:
    """Return the body of an answer."""
    return {"code": 0, "msg": "success", "data": data}


async def refuse(request: Request, error: Exception) -> Response:
    """Turn an ApiError into the platform's answer."""
    refusal = cast("ApiError", error)
    answer = JSONResponse(
        error_body(refusal, str(request.scope["state"]["log_id"])), refusal.status
    )
    if refusal.status == 429:
        answer.headers["x-ogw-ratelimit-limit"] = str(APP_SECOND.most)
        answer.headers["x-ogw-ratelimit-reset"] = str(max(1, round(refusal.retry_after_s)))
    return answer


class Gateway:
    """Gives every call a log id and lets the faults that were asked for happen."""

    def __init__(self, app: ASGIApp, emulator: Emulator) -> None:
        self._app = app
        self._emulator = emulator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a call on, with its log id, or let it fail as a fault says."""
        if scope["type"] != "http" or not scope["path"].startswith(PLATFORM):
            await self._app(scope, receive, send)
            return
        log_id = secrets.token_hex(17)
        scope.setdefault("state", {})["log_id"] = log_id

        async def send_with_log_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = [(_as_sent(name), value) for name, value in message["headers"]]
                message["headers"] = [*named, (b"X-Tt-Logid", log_id.encode())]
            await send(message)

        fault = self._emulator.faults.take(scope["method"], scope["path"])
        if fault is None:
            await self._app(scope, receive, send_with_log_id)
        else:
            await self._fail(fault, scope, receive, send_with_log_id)

    async def _fail(self, fault: Fault, scope: Scope, receive: Receive, send: Send) -> None:
        if not fault.after:
            await asyncio.sleep(fault.delay_s)
        if not fault.replaces_answer:
            await self._app(scope, receive, send)
            return
        if fault.after:
            await self._app(scope, receive, _lose)
            await asyncio.sleep(fault.delay_s)
        await _answer(fault, str(scope["state"]["log_id"]))(scope, receive, send)


def _as_sent(name: bytes) -> bytes:
    # The SDK looks for `Content-Type` in just this spelling, which is how the platform sends it.
    return name if name.startswith(b"x-ogw-") else name.title()


async def _lose(message: Message) -> None:
    del message


def _answer(fault: Fault, log_id: str) -> Response:
    status = fault.status or (429 if fault.code == 99991400 else 400)
    error = ApiError(fault.code, "injected fault")
    answer = (
        JSONResponse(error_body(error, log_id), status)
        if fault.code
        else Response(fault.body, status, media_type="text/html")
    )
    if fault.retry_after_s:
        answer.headers["x-ogw-ratelimit-reset"] = f"{fault.retry_after_s:g}"
    return answer
