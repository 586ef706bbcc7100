"""Messages: create, reply, update, recall, get and list."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.content import accept
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.limits import CHAT
from sandbox.feishu.model import Message
from sandbox.feishu.openapi.access import inside, message, own, receiver, standing
from sandbox.feishu.openapi.gateway import body_of, emulator_of, gate, success, text_of
from sandbox.feishu.openapi.shapes import message_json
from sandbox.feishu.world import Draft

Json = dict[str, object]
MOST_EDITS = 20
router = APIRouter(prefix="/open-apis/im/v1/messages", dependencies=[Depends(gate)])


@router.post("")
async def create(request: Request) -> Json:
    """Send a message to a chat or a person."""
    emulator, body = emulator_of(request), await body_of(request)
    earlier = emulator.sent.message_of(text_of(body, "uuid", ""))
    if earlier is not None:
        return _answer(emulator, emulator.world.messages[earlier])
    id_type = request.query_params.get("receive_id_type", "")
    chat = receiver(emulator, id_type, text_of(body, "receive_id"))
    return _send(emulator, body, chat.chat_id, None)


@router.post("/{message_id}/reply")
async def reply(request: Request, message_id: str) -> Json:
    """Reply to a message, in a thread when asked."""
    emulator, body = emulator_of(request), await body_of(request)
    earlier = emulator.sent.message_of(text_of(body, "uuid", ""))
    if earlier is not None:
        return _answer(emulator, emulator.world.messages[earlier])
    parent = standing(emulator, message_id)
    return _send(emulator, body, parent.chat_id, parent)


def _send(emulator: Emulator, body: Json, chat_id: str, parent: Message | None) -> Json:
    msg_type = text_of(body, "msg_type")
    accepted = accept(msg_type, body.get("content"), emulator.world)
    emulator.limits.take(CHAT, chat_id)
    draft = Draft(
        chat_id=chat_id,
        sender=emulator.world.bot,
        msg_type=msg_type,
        content=accepted.content,
        mentions=accepted.mentions,
        parent=parent,
        in_thread=body.get("reply_in_thread") is True,
    )
    sent = emulator.world.post(draft)
    emulator.sent.remember(text_of(body, "uuid", ""), sent.message_id)
    return _answer(emulator, sent)


@router.put("/{message_id}")
async def edit(request: Request, message_id: str) -> Json:
    """Edit a text or rich text message, at most 20 times."""
    emulator, body = emulator_of(request), await body_of(request)
    edited = own(emulator, message_id, 230071)
    msg_type = text_of(body, "msg_type")
    if edited.msg_type not in {"text", "post"} or msg_type not in {"text", "post"}:
        raise ApiError(230054, "only text and post can be edited")
    accepted = accept(msg_type, body.get("content"), emulator.world)
    if len(edited.earlier) >= MOST_EDITS:
        raise ApiError(230072)
    emulator.limits.take(CHAT, edited.chat_id)
    edited.msg_type, edited.mentions = msg_type, accepted.mentions
    edited.replace(accepted.content, emulator.clock.now_ms())
    emulator.world.changed(edited)
    return _answer(emulator, edited)


@router.delete("/{message_id}")
async def recall(request: Request, message_id: str) -> Json:
    """Recall a message of the bot."""
    emulator = emulator_of(request)
    recalled = standing(emulator, message_id, recalled=230110)
    if recalled.sender_type != "app":
        raise ApiError(230026)
    recalled.recalled = True
    emulator.world.changed(recalled)
    return success({})


@router.get("/{message_id}")
async def get(request: Request, message_id: str) -> Json:
    """Return one message as a list of one."""
    emulator = emulator_of(request)
    found = message(emulator, message_id)
    return success({"items": [message_json(found, emulator.world, emulator.options.app_id)]})


@router.get("")
async def history(request: Request) -> Json:
    """Return the messages of a chat, oldest first, at most 50 a page."""
    emulator, query = emulator_of(request), request.query_params
    chat = emulator.world.chats.get(query.get("container_id", ""))
    if query.get("container_id_type") != "chat" or chat is None:
        raise ApiError(230001, "container_id_type must be chat and container_id a chat")
    found = emulator.world.messages_of(inside(chat).chat_id)
    if query.get("sort_type") == "ByCreateTimeDesc":
        found.reverse()
    start, size = _number(query.get("page_token"), 0), min(_number(query.get("page_size"), 20), 50)
    page, more = found[start : start + size], len(found) > start + size
    items = [message_json(one, emulator.world, emulator.options.app_id) for one in page]
    return success(
        {"items": items, "has_more": more, "page_token": str(start + size) if more else ""}
    )


def _number(given: str | None, default: int) -> int:
    if given and not given.isdecimal():
        raise ApiError(230001, "page_size and page_token must be numbers")
    return int(given) if given else default


def _answer(emulator: Emulator, sent: Message) -> Json:
    return success(message_json(sent, emulator.world, emulator.options.app_id))
