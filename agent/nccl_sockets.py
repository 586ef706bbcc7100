"""On which TCP addresses a process listens, in its own network namespace (proc_net_tcp(5))."""

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.procfs import PROC, read_text

_LISTEN = "0A"
_SOCKET = re.compile(r"socket:\[(\d+)\]")
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 (compared, not bound)


@dataclass(frozen=True, slots=True)
class Listener:
    """An address that is listened on; host can be connected to from the same namespace."""

    host: str
    port: int
    inode: str


def listeners(pid: int) -> tuple[Listener, ...]:
    """Return all addresses that are listened on in the network namespace of a process."""
    folder = PROC / str(pid) / "net"
    return tuple(found for name in ("tcp", "tcp6") for found in _read(folder / name))


def _read(table: Path) -> Iterator[Listener]:
    for line in read_text(table).splitlines()[1:]:
        fields = line.split()
        if len(fields) > 9 and fields[3] == _LISTEN:
            host, _, port = fields[1].rpartition(":")
            yield Listener(_host(host), int(port, 16), fields[9])


def _host(digits: str) -> str:
    """Read an address of which every 32-bit word is printed in the host's byte order."""
    words = (bytes.fromhex(digits[start : start + 8]) for start in range(0, len(digits), 8))
    packed = b"".join(word[::-1] for word in words)
    address = ipaddress.ip_address(packed)
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    text = str(mapped or address)
    return _ANY.get(text, text)


def own_sockets(pid: int) -> frozenset[str] | None:
    """Return the inodes of a process's open sockets, or None when we may not look."""
    try:
        links = list((PROC / str(pid) / "fd").iterdir())
    except OSError:
        return None
    return frozenset(match[1] for link in links if (match := _SOCKET.fullmatch(_target(link))))


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        return ""
