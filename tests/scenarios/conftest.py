"""The real app under uvicorn on a loopback port, with a real Redis server behind it.

bot     the session's running bot, an HTTP client for it, and an empty Redis
rig     the whole bot in an emulated Feishu, with an agent, once for each way
either_bot  the same as bot, twice: what is pushed comes by HTTP, or over a long connection
start   starts a bot with other settings or another Redis: start(settings, redis)
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

import httpx
import pytest
import uvicorn
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from bot.app import create_app
from rankscope.settings import Settings
from rankscope.store.state import State
from sandbox.feishu.client import EmulatorClient
from sandbox.feishu.model import stable_id
from sandbox.feishu.testing import running_emulator
from tests.capture.fake_agent import fake_agent
from tests.conftest import MakeSettings
from tests.feishu.payloads import BOT
from tests.sandbox.feishu.waiting import until
from tests.scenarios.listening import listening
from tests.scenarios.rig import (
    ADMIN,
    OPERATOR,
    OPERATORS_CHAT,
    TEAM,
    WAYS,
    Apps,
    Rig,
    open_id,
    options_of,
    rigged,
)


@dataclass(frozen=True, slots=True)
class RunningBot:
    """A bot that answers, the client to ask it with, and its records."""

    http: httpx.Client
    settings: Settings
    redis: Redis
    line: EmulatorClient | None = None
    """Feishu at the other end of a long connection of the bot's, None without one."""

    @property
    def state(self) -> State:
        return State(self.redis)


Start = Callable[[Settings, Redis], RunningBot]


@contextmanager
def running(settings: Settings, redis: Redis) -> Iterator[RunningBot]:
    config = uvicorn.Config(create_app(settings, redis), port=0, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    host, port = server.servers[0].sockets[0].getsockname()
    with httpx.Client(base_url=f"http://{host}:{port}", trust_env=False) as client:
        yield RunningBot(client, settings, redis)
    server.should_exit = True
    thread.join()


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:
        yield lambda settings, redis: stack.enter_context(running(settings, redis))


@pytest.fixture(scope="session")
def session_bot(make_settings: MakeSettings, redis_url: str) -> Iterator[RunningBot]:
    with running(make_settings(), Redis.from_url(redis_url)) as bot:
        yield bot


@pytest.fixture
def bot(session_bot: RunningBot, redis: Redis) -> RunningBot:
    del redis  # Asked for, since it empties the database.
    return session_bot


@pytest.fixture(scope="session")
def line(make_settings: MakeSettings, redis_url: str) -> Iterator[EmulatorClient]:
    """A long connection of a listener with the same Redis as the session's bot."""
    with running_emulator() as emulator, Redis.from_url(redis_url) as redis:
        options, world = emulator.emulator.options, emulator.emulator.world
        world.bot = replace(world.bot, open_id=BOT)  # Whom the payloads of the tests mention.
        settings = make_settings(
            feishu_domain=emulator.url,
            feishu_app_id=options.app_id,
            feishu_app_secret=options.app_secret,
        )
        with listening(emulator, settings, redis):
            yield emulator.client


@pytest.fixture(params=["http", "long connection"])
def either_bot(bot: RunningBot, request: pytest.FixtureRequest) -> RunningBot:
    if request.param == "http":
        return bot
    return replace(bot, line=request.getfixturevalue("line"))


@pytest.fixture(scope="session", params=WAYS)
def apps(
    request: pytest.FixtureRequest, make_settings: MakeSettings, redis_url: str
) -> Iterator[Apps]:
    """The bot and the emulator of a rig, for each way in which events come."""
    way, operators_chat = request.param, stable_id("oc", OPERATORS_CHAT)
    with running_emulator(options_of(way)) as emulator, Redis.from_url(redis_url) as redis:
        options = emulator.emulator.options
        settings = make_settings(
            feishu_domain=emulator.url,
            feishu_app_id=options.app_id,
            feishu_app_secret=options.app_secret,
            feishu_chat_id=stable_id("oc", TEAM),
            operators=f"{open_id(OPERATOR)},{operators_chat}",
            admins=open_id(ADMIN),
            fallback_webhook_url=f"{emulator.url}/open-apis/bot/v2/hook/{operators_chat}",
            fallback_webhook_secret=options.hook_secret,
            language="en",
            capture_interval_s=0.1,
            capture_lead_s=0,
            capture_budget_s=0.5,
            recapture_cooldown_s=0,
        )
        with ExitStack() as stack:
            bot = stack.enter_context(running(settings, Redis.from_url(redis_url)))
            if way == "http":
                emulator.client.point_at(str(bot.http.base_url.join("/feishu/events")))
                until(lambda: emulator.client.subscription()["state"] == "verified")
            else:
                stack.enter_context(listening(emulator, settings, redis))
            yield Apps(way, emulator, bot.http, settings, redis)


@pytest.fixture
def rig(apps: Apps) -> Iterator[Rig]:
    with fake_agent() as agent, rigged(apps, agent) as made:
        yield made


@pytest.fixture(scope="session")
def bot_without_redis(make_settings: MakeSettings) -> Iterator[RunningBot]:
    redis = Redis(unix_socket_path="/nonexistent/redis.sock", retry=Retry(NoBackoff(), 0))
    with running(make_settings(), redis) as bot:
        yield bot
