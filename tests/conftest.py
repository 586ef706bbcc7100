"""Fixtures for all tests.

redis_url    URL of a real server over a Unix socket, one per test session (and xdist worker)
redis        a client of it; the database is emptied before the test
state        State over `redis`
make_settings  builds Settings with test secrets and without the environment or a .env file:
               make_settings(language="en")
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings as hypothesis_settings
from redis import Redis

from rankscope.settings import Settings
from rankscope.store.server import start_server
from rankscope.store.state import State

# What a person sees has a time zone, by default the host's.
os.environ["TZ"] = "UTC"
time.tzset()

# How long an example takes depends on what else the machine does.
hypothesis_settings.register_profile("any-machine", deadline=None)
hypothesis_settings.load_profile("any-machine")

MakeSettings = Callable[..., Settings]

TEST_SECRETS = {
    "webhook_secret": "webhook-secret",
    "agent_secret": "agent-secret",
    "feishu_encrypt_key": "encrypt-key",
    "feishu_verification_token": "verification-token",
}


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    # A short path, since Unix sockets allow 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="rs-"))
    server = start_server(folder)
    yield server.url
    server.stop()
    shutil.rmtree(folder)


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as client:
        client.flushall()
        yield client


@pytest.fixture
def state(redis: Redis) -> State:
    return State(redis)


@pytest.fixture(scope="session")
def make_settings(tmp_path_factory: pytest.TempPathFactory) -> MakeSettings:
    folder = tmp_path_factory.mktemp("data")

    def make(**overrides: Any) -> Settings:
        values: dict[str, Any] = {"data_dir": folder, **TEST_SECRETS, **overrides}
        with pytest.MonkeyPatch.context() as patch:
            for name in [name for name in os.environ if name.startswith("RANKSCOPE_")]:
                patch.delenv(name)
            patch.delenv("REDIS_URL", raising=False)
            return Settings(_env_file=None, **values)

    return make
