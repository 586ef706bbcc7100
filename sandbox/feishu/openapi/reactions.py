"""Emoji under messages."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.emojis import EMOJI_TYPES
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.model import Message, Reaction, new_id
from sandbox.feishu.openapi.access import message
from sandbox.feishu.openapi.gateway import body_of, emulator_of, gate, success
from sandbox.feishu.openapi.shapes import reaction_json

Json = dict[str, object]
router = APIRouter(
    prefix="/open-apis/im/v1/messages/{message_id}/reactions", dependencies=[Depends(gate)]
)


def _target(emulator: Emulator, message_id: str) -> Message:
    target = message(emulator, message_id, missing=231003)
    if target.recalled:
        raise ApiError(231003)
    return target


@router.post("")
async def create(request: Request, message_id: str) -> Json:
    """Put an emoji under a message; the same one twice stays one."""
    emulator, body = emulator_of(request), await body_of(request)
    wanted = body.get("reaction_type")
    emoji = wanted.get("emoji_type") if isinstance(wanted, dict) else None
    if emoji not in EMOJI_TYPES:
        raise ApiError(231001)
    target, bot = _target(emulator, message_id), emulator.world.bot
    for reaction in target.reactions:
        if (reaction.emoji, reaction.open_id) == (emoji, bot.open_id):
            return success(reaction_json(reaction, bot, emulator.options.app_id))
    added = Reaction(new_id("reaction"), str(emoji), bot.open_id, emulator.clock.now_ms())
    target.reactions.append(added)
    emulator.world.changed(target)
    return success(reaction_json(added, bot, emulator.options.app_id))


@router.get("")
async def listed(request: Request, message_id: str) -> Json:
    """Return the emoji under a message."""
    emulator = emulator_of(request)
    wanted = request.query_params.get("reaction_type", "")
    items = [
        reaction_json(one, emulator.world.people[one.open_id], emulator.options.app_id)
        for one in _target(emulator, message_id).reactions
        if wanted in {"", one.emoji}
    ]
    return success({"items": items, "has_more": False, "page_token": ""})


@router.delete("/{reaction_id}")
async def remove(request: Request, message_id: str, reaction_id: str) -> Json:
    """Take the bot's emoji away."""
    emulator = emulator_of(request)
    target = _target(emulator, message_id)
    found = next((r for r in target.reactions if r.reaction_id == reaction_id), None)
    if found is None:
        raise ApiError(231010)
    if found.open_id != emulator.world.bot.open_id:
        raise ApiError(231007)
    target.reactions.remove(found)
    emulator.world.changed(target)
    return success(reaction_json(found, emulator.world.bot, emulator.options.app_id))
