"""Updating cards: by message, and by the token of a click."""

import json

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.cardcheck import MOST_BYTES, problems
from sandbox.feishu.codes import ApiError
from sandbox.feishu.content import accept, card_refused, known
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.limits import UPDATE
from sandbox.feishu.model import Message
from sandbox.feishu.openapi.access import own
from sandbox.feishu.openapi.gateway import body_of, emulator_of, gate, success, text_of

Json = dict[str, object]
UPDATABLE_MS = 14 * 24 * 3600 * 1000
router = APIRouter(prefix="/open-apis", dependencies=[Depends(gate)])


@router.patch("/im/v1/messages/{message_id}")
async def patch(request: Request, message_id: str) -> Json:
    """Replace the card of a message that the bot sent within the last 14 days."""
    emulator, body = emulator_of(request), await body_of(request)
    card = own(emulator, message_id, 230001)
    if card.msg_type != "interactive":
        raise ApiError(230001, "This message is NOT a card.")
    if emulator.clock.now_ms() - card.created_ms > UPDATABLE_MS:
        raise ApiError(230031)
    accepted = accept("interactive", body.get("content"), emulator.world)
    for which, content in (("old", card.content), ("new", accepted.content)):
        if not _shared(json.loads(content)):
            raise ApiError(230001, f"config.update_multi is not true in the {which} card")
    _refuse_while_clicked(emulator, card)
    emulator.limits.take(UPDATE, message_id)
    card.replace(accepted.content, emulator.clock.now_ms())
    emulator.world.changed(card)
    return success({})


@router.post("/interactive/v1/card/update")
async def delayed_update(request: Request) -> Json:
    """Replace a clicked card with the click's token, after the callback was answered."""
    emulator, body = emulator_of(request), await body_of(request)
    token = text_of(body, "token", "")
    card = emulator.world.messages.get(emulator.card_tokens.message_of(token))
    if card is None or card.recalled:
        raise ApiError(200000)
    new = body.get("card")
    if not isinstance(new, dict):
        raise ApiError(10002, "card must be an object")
    content = _checked(emulator, new)
    if card.open_clicks:
        raise ApiError(11310, "the callback is not answered yet")
    emulator.card_tokens.use(token)
    card.replace(content, emulator.clock.now_ms())
    emulator.world.changed(card)
    return {"code": 0, "msg": "ok"}


def _shared(card: Json) -> bool:
    config = card.get("config")
    return isinstance(config, dict) and config.get("update_multi") is True


def _refuse_while_clicked(emulator: Emulator, card: Message) -> None:
    # A card is locked while the answer to a click on it is awaited.
    if emulator.options.lock_cards and card.open_clicks:
        raise card_refused(11310, "card action is lock", "")


def _checked(emulator: Emulator, card: Json) -> str:
    if "schema" not in card:
        raise ApiError(200830)
    for problem in problems(card, known(emulator.world)):
        raise ApiError(11311, f"{problem.code}: {problem.what} ({problem.path})")
    content = json.dumps(card, ensure_ascii=False)
    if len(content.encode()) > MOST_BYTES:
        raise ApiError(11311, "the card is larger than 30 KB")
    return content
