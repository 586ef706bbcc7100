"""The chats that the bot is in."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.openapi.access import inside
from sandbox.feishu.openapi.gateway import emulator_of, gate, success
from sandbox.feishu.openapi.shapes import chat_json

Json = dict[str, object]
router = APIRouter(prefix="/open-apis/im/v1/chats", dependencies=[Depends(gate)])


@router.get("")
async def listed(request: Request) -> Json:
    """Return the groups that the bot is in."""
    groups = [
        chat_json(chat)
        for chat in emulator_of(request).world.chats.values()
        if chat.chat_type == "group" and chat.bot_inside
    ]
    return success({"items": groups, "has_more": False, "page_token": ""})


@router.get("/{chat_id}")
async def get(request: Request, chat_id: str) -> Json:
    """Return one chat."""
    chat = emulator_of(request).world.chats.get(chat_id)
    if chat is None:
        raise ApiError(230034, f"chat_id {chat_id!r}")
    return success(chat_json(inside(chat)))
