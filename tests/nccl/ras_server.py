"""A small RAS server that speaks the wire protocol of any version, and misbehaves on demand."""

import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.nccl.answers import Job, as_text, numbers
from tests.nccl.json_answers import as_json


@dataclass
class Behaviour:
    """How a server answers; frozen_times connections get no word, reset_times are reset.

    slow_s is the pause before the answer and between its pieces; cut_at the number of bytes after
    which the process dies; silent never ends the answer; hello replaces the handshake's reply.
    """

    frozen_times: int = 0
    reset_times: int = 0
    slow_s: float = 0.0
    piece_bytes: int = 0
    cut_at: int | None = None
    silent: bool = False
    hello: str = "SERVER PROTOCOL 2"
    endless_line: bool = False
    extra: str = ""


@dataclass
class RasServer:
    """Answers for one job after another, as the kernel would pick processes on a shared port."""

    jobs: Sequence[Job]
    behaviour: Behaviour = field(default_factory=Behaviour)
    commands: list[str] = field(default_factory=list)
    connections: int = 0
    stopped: threading.Event = field(default_factory=threading.Event)

    def serve(self, listener: socket.socket) -> None:
        while not self.stopped.is_set():
            try:
                peer, _ = listener.accept()
            except OSError:
                return
            number, self.connections = self.connections, self.connections + 1
            threading.Thread(target=self._talk, args=(peer, number), daemon=True).start()

    def _talk(self, peer: socket.socket, number: int) -> None:
        with peer:
            if number < self.behaviour.frozen_times:
                self.stopped.wait(30)
                return
            if number < self.behaviour.frozen_times + self.behaviour.reset_times:
                peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            try:
                self._converse(peer, self.jobs[number % len(self.jobs)])
            except (BrokenPipeError, ConnectionResetError):
                return

    def _converse(self, peer: socket.socket, job: Job) -> None:
        is_json = False
        for line in _lines(peer):
            self.commands.append(line)
            words = line.upper().split()
            if self.behaviour.endless_line:
                peer.sendall(b"x" * 100_000)
            elif words[:2] == ["CLIENT", "PROTOCOL"]:
                _say(peer, self.behaviour.hello)
            elif words[:1] == ["TIMEOUT"]:
                _say(peer, "OK")
            elif words[:2] == ["SET", "FORMAT"] and numbers(job.version) >= (2, 28, 7):
                is_json = words[2] == "JSON"
                _say(peer, "OK")
            elif words == ["STATUS"]:
                self._answer(peer, as_json(job) if is_json else as_text(job))
                return
            else:
                _say(peer, f"ERROR: Unknown command {line}")

    def _answer(self, peer: socket.socket, text: str) -> None:
        behaviour = self.behaviour
        data = (text + behaviour.extra).encode()[: behaviour.cut_at]
        step = behaviour.piece_bytes or max(1, len(data))
        for start in range(0, len(data), step):
            time.sleep(behaviour.slow_s)
            peer.sendall(data[start : start + step])
        if behaviour.silent:
            self.stopped.wait(30)


def _lines(peer: socket.socket) -> Iterator[str]:
    rest = b""
    while part := peer.recv(1024):
        rest += part
        *lines, rest = rest.split(b"\n")
        yield from (line.decode().rstrip("\r") for line in lines)


def _say(peer: socket.socket, line: str) -> None:
    peer.sendall(line.encode() + b"\n")


@contextmanager
def serving(
    *jobs: Job, host: str = "127.0.0.1", behaviour: Behaviour | None = None
) -> Iterator[tuple[RasServer, int]]:
    """Serve jobs on a free port; yields the server and the port."""
    server = RasServer(jobs, behaviour or Behaviour())
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        thread = threading.Thread(target=server.serve, args=(listener,), daemon=True)
        thread.start()
        try:
            yield server, listener.getsockname()[1]
        finally:
            server.stopped.set()
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
