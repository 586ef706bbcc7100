"""The control API: what people on the page and tests do, outside the open platform."""

from collections.abc import AsyncIterator
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from rankscope.errors import NotFound, UnusableInput
from rankscope.model.text import Language
from sandbox.feishu import people
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.envelopes import BOT_ADDED, BOT_DELETED, bot_moved
from sandbox.feishu.faults import Fault
from sandbox.feishu.feed import Happening
from sandbox.feishu.looking import look_for, rendered
from sandbox.feishu.openapi.gateway import emulator_of
from sandbox.feishu.pressing import Press
from sandbox.feishu.views import chat_view

Body = TypeVar("Body")


async def only_from_here(request: Request) -> None:
    """Refuse what another site's page sends; raises UnusableInput."""
    origin = request.headers.get("Origin")
    if origin and urlsplit(origin).netloc != request.headers.get("Host"):
        raise UnusableInput(f"Pages of {origin} may not use the emulator.")


router = APIRouter(prefix="/emulator/api", dependencies=[Depends(only_from_here)])


class NewChat(msgspec.Struct, frozen=True):
    """A group to create."""

    name: str
    bot_inside: bool = True


class BotMove(msgspec.Struct, frozen=True):
    """Whether the bot is to be in a group."""

    inside: bool


class Urls(msgspec.Struct, frozen=True):
    """Where the bot listens; clicks go to the event URL when there is no callback URL."""

    event_url: str
    callback_url: str = ""


class Skip(msgspec.Struct, frozen=True):
    """Seconds to move the emulator's clock forward."""

    seconds: float


class Twice(msgspec.Struct, frozen=True):
    """Whether every event is delivered twice."""

    enabled: bool


async def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the request's body; raises UnusableInput."""
    try:
        return msgspec.json.decode(await request.body(), type=kind)
    except msgspec.MsgspecError as error:
        raise UnusableInput(f"The body of {request.url.path} cannot be read: {error}.") from error


def as_json(value: object) -> Response:
    """Answer with anything that msgspec can write."""
    return Response(msgspec.json.encode(value), media_type="application/json")


def language_of(request: Request) -> Language:
    """Return the language that a request asks for."""
    return "en" if request.query_params.get("lang") == "en" else "zh"


async def unknown(request: Request, error: Exception) -> Response:
    """Answer 404 for something that does not exist."""
    del request
    return JSONResponse({"error": str(error)}, 404)


async def unusable(request: Request, error: Exception) -> Response:
    """Answer 400 for a request that cannot be read."""
    del request
    return JSONResponse({"error": str(error)}, 400)


HANDLERS = {NotFound: unknown, UnusableInput: unusable}


@router.get("/chats")
async def chats(request: Request) -> Response:
    """List all chats, with their members."""
    world = emulator_of(request).world
    return as_json([chat_view(chat, world) for chat in world.chats.values()])


@router.post("/chats")
async def add_chat(request: Request) -> Response:
    """Create a group."""
    wanted, emulator = await read_body(request, NewChat), emulator_of(request)
    chat = emulator.world.add_group(wanted.name, bot_inside=wanted.bot_inside)
    return as_json(chat_view(chat, emulator.world))


@router.post("/chats/{chat_id}/bot")
async def move_bot(request: Request, chat_id: str) -> Response:
    """Put the bot into a group or take it out; the bot is told."""
    wanted, emulator = await read_body(request, BotMove), emulator_of(request)
    chat = emulator.world.chat(chat_id)
    if chat.bot_inside != wanted.inside:
        chat.bot_inside = wanted.inside
        event = bot_moved(chat, emulator.world.humans[0])
        emulator.push(BOT_ADDED if wanted.inside else BOT_DELETED, event)
        emulator.feed.tell("chats", chat_id)
    return as_json(chat_view(chat, emulator.world))


@router.get("/chats/{chat_id}/messages")
async def messages(request: Request, chat_id: str) -> Response:
    """List a chat's messages, oldest first; with html=1 as the page shows them."""
    emulator = emulator_of(request)
    found = emulator.world.messages_of(emulator.world.chat(chat_id).chat_id)
    with_html = request.query_params.get("html") == "1"
    look = look_for(emulator.world, language_of(request))
    return as_json([rendered(one, emulator.world, look, html=with_html) for one in found])


@router.post("/chats/{chat_id}/messages")
async def say(request: Request, chat_id: str) -> Response:
    """Let a person write."""
    emulator, saying = emulator_of(request), await read_body(request, people.Saying)
    message = people.say(emulator, chat_id, saying)
    look = look_for(emulator.world, language_of(request))
    return as_json(rendered(message, emulator.world, look, html=False))


@router.post("/menu")
async def menu(request: Request) -> Response:
    """Let a person choose an item of the bot's menu."""
    chosen, emulator = await read_body(request, people.Choice), emulator_of(request)
    return as_json({"event_id": people.choose(emulator, chosen)})


@router.post("/messages/{message_id}/press")
async def press(request: Request, message_id: str) -> Response:
    """Let a person press a button; toast, card and error are what the person sees."""
    emulator, pressed = emulator_of(request), await read_body(request, Press)
    return as_json(await people.press(emulator, message_id, pressed))


@router.get("/stream")
async def stream(request: Request) -> Response:
    """Stream what happens, as server-sent events."""
    emulator, language = emulator_of(request), language_of(request)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _events(emulator, language), media_type="text/event-stream", headers=headers
    )


async def _events(emulator: Emulator, language: Language) -> AsyncIterator[bytes]:
    yield b": welcome\n\n"
    async for happening in emulator.feed.listen():
        data = msgspec.json.encode(_happening(emulator, happening, language))
        yield b"event: " + happening.kind.encode() + b"\ndata: " + data + b"\n\n"


def _happening(emulator: Emulator, happening: Happening, language: Language) -> object:
    if happening.kind == "message":
        message = emulator.world.messages[happening.subject]
        look = look_for(emulator.world, language)
        return rendered(message, emulator.world, look, html=True)
    if happening.kind == "subscription":
        return people.subscription_status(emulator, language)
    return {"id": happening.subject}


@router.get("/subscription")
async def subscription(request: Request) -> Response:
    """Tell whether the bot has answered the challenge."""
    return as_json(people.subscription_status(emulator_of(request), language_of(request)))


@router.post("/subscription")
async def point_at(request: Request) -> Response:
    """Change the request URLs."""
    urls, emulator = await read_body(request, Urls), emulator_of(request)
    emulator.subscription.point_at(urls.event_url, urls.callback_url)
    return as_json(people.subscription_status(emulator, language_of(request)))


@router.get("/deliveries")
async def deliveries(request: Request) -> Response:
    """List all pushed events with their attempts."""
    return as_json(emulator_of(request).deliveries.all)


@router.post("/deliveries/twice")
async def twice(request: Request) -> Response:
    """Switch on or off that every event is delivered twice."""
    emulator = emulator_of(request)
    emulator.deliveries.twice = (await read_body(request, Twice)).enabled
    return as_json({"enabled": emulator.deliveries.twice})


@router.post("/faults")
async def add_fault(request: Request) -> Response:
    """Ask for a fault in the next calls of the open platform."""
    emulator_of(request).faults.add(await read_body(request, Fault))
    return as_json({})


@router.delete("/faults")
async def clear_faults(request: Request) -> Response:
    """Forget all faults."""
    emulator_of(request).faults.clear()
    return as_json({})


@router.post("/clock")
async def skip(request: Request) -> Response:
    """Move the emulator's clock forward."""
    emulator = emulator_of(request)
    emulator.clock.advance((await read_body(request, Skip)).seconds)
    return as_json({"now_ms": emulator.clock.now_ms()})


@router.post("/tokens/revoke")
async def revoke(request: Request) -> Response:
    """Make all tenant access tokens invalid."""
    emulator_of(request).tenant_tokens.revoke_all()
    return as_json({})


@router.post("/card-check")
async def card_check(request: Request) -> Response:
    """List everything that is wrong with a card."""
    value = await read_body(request, object)
    return as_json({"problems": people.problems_of(emulator_of(request), value)})


@router.post("/reset")
async def reset(request: Request) -> Response:
    """Go back to empty chats."""
    emulator_of(request).reset()
    return as_json({})
