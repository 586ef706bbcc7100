"""The emulator as an ASGI application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from sandbox.feishu import control, page, trouble
from sandbox.feishu.codes import ApiError
from sandbox.feishu.emulator import Emulator
from sandbox.feishu.openapi import (
    attention,
    auth,
    cards,
    chats,
    contacts,
    custom_bot,
    long_connection,
    media,
    messages,
    reactions,
)
from sandbox.feishu.openapi.gateway import Gateway, refuse


def create_app(emulator: Emulator) -> FastAPI:
    """Return the application that serves an emulator."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        del app
        emulator.subscription.start()
        yield
        await emulator.stop()

    app = FastAPI(title="Feishu emulator", lifespan=lifespan, docs_url=None, redoc_url=None)
    app.state.emulator = emulator
    app.add_middleware(Gateway, emulator=emulator)
    app.add_exception_handler(ApiError, refuse)
    for kind, handler in control.HANDLERS.items():
        app.add_exception_handler(kind, handler)
    platform = (auth, attention, cards, chats, contacts, custom_bot, media, messages, reactions)
    for module in (*platform, long_connection, control, trouble, page):
        app.include_router(module.router)
    return app
