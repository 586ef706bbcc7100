"""The app: routes, errors, middleware and what they share."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

from fastapi import FastAPI
from redis import Redis

from bot import api_docs, feishu_events, health, heartbeats, metrics, pages, webhooks
from bot.errors import add_error_handlers
from bot.identity import BotIdentity
from bot.middleware import add_middleware
from rankscope.local_time import use_zone
from rankscope.settings import Settings
from rankscope.store.state import State
from rankscope.text import load_catalogue


def create_app(settings: Settings, redis: Redis) -> FastAPI:
    """Return the app; it closes redis when it stops.

    Routes find settings, redis, state (State), identity and metrics in `app.state`.
    """
    use_zone(settings.time_zone)
    app = FastAPI(lifespan=_lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.redis = redis
    app.state.state = State(redis, timedelta(days=settings.retention_days))
    app.state.identity = BotIdentity()
    app.state.metrics = metrics.Metrics(redis)
    add_middleware(app)
    add_error_handlers(app)
    for part in (webhooks, feishu_events, heartbeats, health, metrics, pages, api_docs):
        app.include_router(part.router)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    settings: Settings = app.state.settings
    load_catalogue()
    learning = None
    if settings.feishu_app_id:
        learning = asyncio.create_task(app.state.identity.learn(settings))
    try:
        yield
    finally:
        if learning is not None:
            learning.cancel()
        app.state.redis.close()
