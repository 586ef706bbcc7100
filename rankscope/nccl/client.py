"""Asks a RAS server over its own line protocol (client protocol 2, NCCL 2.24 to 2.32).

Only CLIENT PROTOCOL, TIMEOUT, SET FORMAT and STATUS are ever sent: VERBOSE damages memory below
2.29.2, CONTROL changes the job, MONITOR holds the connection. Call `safe_to_ask` first. Blocking,
so that a caller may enter a network namespace in the thread that calls.
"""

import socket
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Literal

from rankscope.errors import UnusableInput
from rankscope.model.capture import NcclOutcome
from rankscope.nccl.client_words import outcome_of
from rankscope.nccl.model import Reason

DEFAULT_HOST = "localhost"
DEFAULT_PORT = 28028
LINE_BYTES = 4096
"""No reply of the protocol is longer; a RAS server itself reads lines of up to 1023 bytes."""
CHUNK_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Patience in seconds and sizes in bytes.

    A frozen process may take the connection, since all NCCL processes of a host share the port and
    the kernel picks one; hence a short handshake and several tries. answer_s is what the server may
    wait for other nodes (TIMEOUT); the server itself ends after that and 5 s more, and silence_s
    must be longer. max_bytes holds the JSON of 16,384 ranks in four communicators each (40 MB).
    """

    connect_s: float = 1.0
    handshake_s: float = 1.0
    tries: int = 5
    answer_s: int = 5
    silence_s: float = 11.0
    total_s: float = 60.0
    max_bytes: int = 128 * 1024 * 1024


PATIENT = Limits()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking; raw may hold a part of an answer even when the outcome is not good."""

    outcome: NcclOutcome
    reason: Reason
    raw: bytes = b""
    format: Literal["json", "text", ""] = ""
    address: str = ""
    tries: int = 0
    detail: str = ""


class _Failure(Exception):
    """An attempt that ended early, and whether another one may go better."""

    def __init__(self, reason: Reason, detail: str, *, again: bool = False) -> None:
        super().__init__(detail)
        self.reason, self.detail, self.again = reason, detail, again


GRAVITY = (Reason.UNRESOLVED, Reason.REFUSED, Reason.UNREACHABLE)
"""Of the failures at several addresses one of these counts less than any other."""
Enter = Callable[[], AbstractContextManager[object]]
"""Enters the job's network namespace while a socket is made; the socket then stays in it."""


def ask(
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    *,
    prefer: Literal["json", "text"] = "json",
    limits: Limits = PATIENT,
    enter: Enter = nullcontext,
) -> Reply:
    """Ask for the status of a job; every way of failing is an outcome, nothing is raised.

    All addresses of the host are tried, since the server listens only on the first one that the
    job's own resolver gave. STATUS is sent once: a question costs the job something.
    """
    conversation = _Conversation(limits, prefer, time.monotonic() + limits.total_s)
    failure, tried = _Failure(Reason.UNRESOLVED, f"{host} has no address"), 0
    while tried < limits.tries and not conversation.is_late:
        tried += 1
        found = conversation.try_all(_addresses(host, port), enter)
        if isinstance(found, Reply):
            return replace(found, tries=tried)
        failure = found or failure
        if not failure.again:
            break
    outcome = outcome_of(failure.reason)
    return Reply(outcome, failure.reason, tries=tried, detail=failure.detail)


def parse_address(text: str) -> tuple[str, int]:
    """Split HOST:PORT or [V6]:PORT; raises UnusableInput for anything else."""
    host, colon, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    host = host[1:-1] if bracketed else host
    is_port = port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536
    if not (colon and host and is_port) or (":" in host) != bracketed:
        what = f"{text!r} is neither a file nor HOST:PORT."
        raise UnusableInput(what, "Write localhost:28028 or [::1]:28028.")
    return host, int(port)


Address = tuple[socket.AddressFamily, str, int]


def _addresses(host: str, port: int) -> list[Address]:
    known: list[Address] = []
    if host == DEFAULT_HOST:
        known = [(socket.AF_INET, "127.0.0.1", port), (socket.AF_INET6, "::1", port)]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return known
    addresses = [(family, str(where[0]), port) for family, _, _, _, where in found]
    return list(dict.fromkeys([*known, *addresses]))


class _Conversation:
    """Talks with one server after another until one answers or the time is over."""

    def __init__(self, limits: Limits, prefer: Literal["json", "text"], deadline: float) -> None:
        self.limits, self.prefer, self.deadline = limits, prefer, deadline

    @property
    def is_late(self) -> bool:
        return time.monotonic() >= self.deadline

    def try_all(self, addresses: list[Address], enter: Enter) -> Reply | _Failure | None:
        """Return the first reply, else the failure that says most, None without an address."""
        worst: _Failure | None = None
        for address in addresses:
            try:
                return self._talk(address, enter)
            except _Failure as failure:
                if worst is None or _gravity(failure) > _gravity(worst):
                    worst = failure
        return worst

    def _talk(self, address: Address, enter: Enter) -> Reply:
        with self._connect(address, enter) as peer:
            lines = _Lines(peer, self.limits.handshake_s)
            hello = lines.ask("CLIENT PROTOCOL 2")
            if not hello.startswith("SERVER PROTOCOL "):
                raise _Failure(Reason.NOT_RAS, f"the server said {hello[:80]!r}")
            lines.ask(f"TIMEOUT {self.limits.answer_s}")
            wants_json = self.prefer == "json"
            is_json = wants_json and lines.ask("SET FORMAT json") == "OK"
            lines.send("STATUS")
            reason, raw, detail = self._read(peer, lines.rest)
        form: Literal["json", "text"] = "json" if is_json else "text"
        return Reply(outcome_of(reason), reason, raw, form, f"{address[1]}", detail=detail)

    def _connect(self, address: Address, enter: Enter) -> socket.socket:
        family, host, port = address
        try:
            with enter():
                peer = socket.socket(family, socket.SOCK_STREAM)
        except OSError as error:
            raise _Failure(Reason.UNREACHABLE, f"{host}: {error.strerror}") from error
        try:
            peer.settimeout(self.limits.connect_s)
            peer.connect((host, port))
        except OSError as error:
            peer.close()
            raise _not_connected(host, port, error) from error
        return peer

    def _read(self, peer: socket.socket, first: bytes) -> tuple[Reason, bytes, str]:
        parts, size = [first], len(first)
        while size <= self.limits.max_bytes:
            left = self.deadline - time.monotonic()
            if left <= 0:
                return Reason.SILENT, b"".join(parts), "the answer took too long"
            peer.settimeout(min(left, self.limits.silence_s))
            try:
                part = peer.recv(CHUNK_BYTES)
            except TimeoutError:
                return Reason.SILENT, b"".join(parts), "no byte came for too long"
            except OSError as error:
                return Reason.CUT, b"".join(parts), f"while reading: {error.strerror}"
            if not part:
                return (Reason.NONE if size else Reason.CUT), b"".join(parts), ""
            parts.append(part)
            size += len(part)
        return Reason.TOO_LARGE, b"", f"the answer is larger than {self.limits.max_bytes} bytes"


class _Lines:
    """Sends a command and reads the one line that answers it."""

    def __init__(self, peer: socket.socket, patience_s: float) -> None:
        self.peer, self.patience_s, self.rest = peer, patience_s, b""

    def ask(self, command: str) -> str:
        deadline = time.monotonic() + self.patience_s
        self.send(command)
        while b"\n" not in self.rest:
            self.rest += self._receive(max(0.001, deadline - time.monotonic()))
            if len(self.rest) > LINE_BYTES:
                raise _Failure(Reason.NOT_RAS, "the server sent a line without an end")
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def send(self, command: str) -> None:
        try:
            self.peer.sendall(command.encode() + b"\n")
        except TimeoutError as error:
            raise _Failure(Reason.FROZEN, "the server takes no bytes", again=True) from error
        except OSError as error:
            detail = f"while sending {command}: {error.strerror}"
            raise _Failure(Reason.CUT, detail, again=True) from error

    def _receive(self, seconds: float) -> bytes:
        self.peer.settimeout(seconds)
        try:
            part = self.peer.recv(LINE_BYTES)
        except TimeoutError as error:
            raise _Failure(Reason.FROZEN, "no handshake in time", again=True) from error
        except OSError as error:
            detail = f"during the handshake: {error.strerror}"
            raise _Failure(Reason.CUT, detail, again=True) from error
        if not part:
            raise _Failure(Reason.CUT, "closed during the handshake", again=True)
        return part


def _gravity(failure: _Failure) -> int:
    return GRAVITY.index(failure.reason) if failure.reason in GRAVITY else len(GRAVITY)


def _not_connected(host: str, port: int, error: OSError) -> _Failure:
    if isinstance(error, ConnectionRefusedError):
        return _Failure(Reason.REFUSED, f"{host}:{port} refused the connection")
    if isinstance(error, TimeoutError) and host in {"127.0.0.1", "::1"}:
        # Loopback drops nothing: the queue of connections is full, and nobody takes them.
        return _Failure(Reason.FROZEN, f"{host}:{port} takes no connection", again=True)
    if isinstance(error, ConnectionResetError):
        # Taken and dropped so soon that connect() itself was told.
        return _Failure(Reason.CUT, f"{host}:{port} dropped the connection", again=True)
    return _Failure(Reason.UNREACHABLE, f"{host}:{port}: {error.strerror or 'timed out'}")
