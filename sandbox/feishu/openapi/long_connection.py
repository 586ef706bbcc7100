"""The long connection: where a client asks for its address, and the WebSocket itself."""

from urllib.parse import urlencode

from fastapi import APIRouter, Request, WebSocket
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from sandbox.feishu.connections import SERVICE_ID, NotConnected
from sandbox.feishu.frames import BadFrame
from sandbox.feishu.model import new_id
from sandbox.feishu.openapi.gateway import body_of, emulator_of, text_of
from sandbox.feishu.tokens import same_secret

Json = dict[str, object]
NO_CREDENTIAL = 1000040344
WRONG_SECRET = 1000040345
WRONG_APP = 1000040346
PROTOCOL_ERROR = 1002
GOING_AWAY = 1001
router = APIRouter()


def _refused(code: int, message: str) -> Json:
    return {"code": code, "msg": message}


@router.post("/callback/ws/endpoint")
async def endpoint(request: Request) -> Json:
    """Return the address of a WebSocket and how to keep it open."""
    emulator, body = emulator_of(request), await body_of(request)
    app_id, secret = text_of(body, "AppID", ""), text_of(body, "AppSecret", "")
    options = emulator.options
    if not app_id or not secret:
        return _refused(NO_CREDENTIAL, "app_id or app_secret is empty")
    if app_id != options.app_id:
        return _refused(WRONG_APP, "app_id is invalid")
    if not same_secret(secret, options.app_secret):
        return _refused(WRONG_SECRET, "app_id or app_secret is invalid")
    query = urlencode(
        {
            "device_id": new_id("dev").removeprefix("dev_"),
            "service_id": SERVICE_ID,
            "access_key": new_id("ak").removeprefix("ak_"),
            "ticket": emulator.connections.ticket(),
        }
    )
    url = f"ws://{request.headers.get('Host')}/ws/v2?{query}"
    return {
        "code": 0,
        "msg": "",
        "data": {"URL": url, "ClientConfig": emulator.connections.settings},
    }


@router.websocket("/ws/v2")
async def connect(socket: WebSocket) -> None:
    """Keep one long connection until either side ends it."""
    emulator = emulator_of(socket)
    refusal = emulator.connections.refusal(socket.query_params.get("ticket", ""))
    if refusal is not None:
        await socket.send_denial_response(Response(status_code=400, headers=refusal.headers))
        return
    await socket.accept()

    async def send(data: bytes) -> None:
        try:
            await socket.send_bytes(data)
        except (RuntimeError, WebSocketDisconnect) as error:
            raise NotConnected("the long connection was lost") from error

    async def close() -> None:
        await socket.close(GOING_AWAY)

    with emulator.connections.opened(send, close) as connection:
        try:
            while True:
                await connection.received(await socket.receive_bytes())
        except (WebSocketDisconnect, NotConnected):
            return
        except BadFrame:
            await socket.close(PROTOCOL_ERROR)
