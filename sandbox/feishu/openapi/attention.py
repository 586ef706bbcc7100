"""Pins and urgent messages."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.limits import PIN
from sandbox.feishu.model import Message
from sandbox.feishu.openapi.access import own, standing
from sandbox.feishu.openapi.gateway import body_of, emulator_of, gate, success, text_of

Json = dict[str, object]
MOST_URGENT = 200
router = APIRouter(prefix="/open-apis/im/v1", dependencies=[Depends(gate)])


def _pin_json(emulator: Emulator, pinned: Message) -> Json:
    return {
        "message_id": pinned.message_id,
        "chat_id": pinned.chat_id,
        "operator_id": emulator.options.app_id,
        "operator_id_type": "app_id",
        "create_time": str(pinned.pinned_ms),
    }


@router.post("/pins")
async def pin(request: Request) -> Json:
    """Pin a message; pinning it again changes nothing."""
    emulator, body = emulator_of(request), await body_of(request)
    pinned = standing(emulator, text_of(body, "message_id"))
    emulator.limits.take(PIN, pinned.message_id)
    pinned.pinned_ms = pinned.pinned_ms or emulator.clock.now_ms()
    emulator.world.changed(pinned)
    return success({"pin": _pin_json(emulator, pinned)})


@router.delete("/pins/{message_id}")
async def unpin(request: Request, message_id: str) -> Json:
    """Take a pin away."""
    emulator = emulator_of(request)
    pinned = standing(emulator, message_id)
    emulator.limits.take(PIN, message_id)
    pinned.pinned_ms = 0
    emulator.world.changed(pinned)
    return success({})


@router.patch("/messages/{message_id}/urgent_app")
async def urgent(request: Request, message_id: str) -> Json:
    """Make people look at a message of the bot; unknown people are returned."""
    emulator, body = emulator_of(request), await body_of(request)
    target = own(emulator, message_id, 230012)
    id_type, wanted = request.query_params.get("user_id_type", "open_id"), body.get("user_id_list")
    if id_type not in {"open_id", "user_id", "union_id"} or not isinstance(wanted, list):
        raise ApiError(230001, "user_id_type or user_id_list is not valid")
    people = {str(getattr(person, id_type)): person.open_id for person in emulator.world.humans}
    for open_id in filter(None, (people.get(str(who)) for who in wanted)):
        if open_id not in target.urgent_for:
            _check_unread(emulator, open_id)
            target.urgent_for.append(open_id)
    emulator.world.changed(target)
    return success({"invalid_user_id_list": [who for who in wanted if str(who) not in people]})


def _check_unread(emulator: Emulator, open_id: str) -> None:
    unread = sum(open_id in message.urgent_for for message in emulator.world.messages.values())
    if unread >= MOST_URGENT:
        raise ApiError(230023)
