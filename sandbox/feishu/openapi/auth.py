"""Tokens and the bot's own data."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.openapi.gateway import body_of, emulator_of, gate, text_of
from sandbox.feishu.tokens import same_secret

Json = dict[str, object]
router = APIRouter(prefix="/open-apis")


@router.post("/auth/v3/tenant_access_token/internal")
async def tenant_access_token(request: Request) -> Json:
    """Hand out a tenant access token."""
    emulator, body = emulator_of(request), await body_of(request)
    app_id, secret = text_of(body, "app_id", ""), text_of(body, "app_secret", "")
    if not app_id or not secret:
        raise ApiError(10003)
    options = emulator.options
    if app_id != options.app_id or not same_secret(secret, options.app_secret):
        raise ApiError(10014, "app_id or app_secret is wrong")
    token, expire = emulator.tenant_tokens.issue()
    return {"code": 0, "msg": "ok", "tenant_access_token": token, "expire": expire}


@router.get("/bot/v3/info", dependencies=[Depends(gate)])
async def bot_info(request: Request) -> Json:
    """Return the bot's name and open_id; `bot` is at the top level, not in `data`."""
    bot = emulator_of(request).world.bot
    info = {
        "activate_status": 2,
        "app_name": bot.name,
        "avatar_url": "",
        "ip_white_list": [],
        "open_id": bot.open_id,
    }
    return {"code": 0, "msg": "ok", "bot": info}
