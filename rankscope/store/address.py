"""Where the embedded Redis server listens: a socket of its folder, or loopback with a password."""

import os
import secrets
import socket
from dataclasses import dataclass
from pathlib import Path

import msgspec

LONGEST_SOCKET_PATH = 100
"""Linux takes at most 107 bytes as the path of a Unix socket."""


@dataclass(frozen=True, slots=True)
class Address:
    """A URL for clients, and the lines of configuration that make the server listen there."""

    url: str
    configuration: str


@dataclass(frozen=True, slots=True)
class Loopback:
    """A port and password, kept so that a restarted server has the address of the last one."""

    port: int
    password: str


def choose_address(folder: Path) -> Address:
    """Return the address for a server in a folder that only its owner can enter."""
    path = folder / "redis.sock"
    if len(bytes(path)) < LONGEST_SOCKET_PATH:
        listen = f'port 0\nunixsocket "{path}"\nunixsocketperm 600'
        return Address(f"unix://{path}", listen)
    known = _loopback(folder / "loopback.json")
    listen = f"bind 127.0.0.1\nport {known.port}\nrequirepass {known.password}"
    return Address(f"redis://:{known.password}@127.0.0.1:{known.port}", listen)


def _loopback(file: Path) -> Loopback:
    if file.exists():
        return msgspec.json.decode(file.read_bytes(), type=Loopback)
    known = Loopback(_free_port(), secrets.token_hex(24))
    write_private(file, msgspec.json.encode(known))
    return known


def write_private(file: Path, content: bytes) -> None:
    """Write a file in one step, for its owner's eyes only: it may hold the password."""
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
    fresh.replace(file)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
