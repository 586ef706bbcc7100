"""An agent over real HTTP that answers what a test says, slowly if asked, and counts captures.

`with fake_agent("gpu07") as agent:` gives an agent that answers two samples of one trainer. A
capture ends when it is answered or when its caller has gone, as with the real agent.
"""

import json
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rankscope.signing import sign_line, verify_request

SECRET = "agent-secret"
Json = dict[str, Any]


def sample(node: str, number: int, rank: int = 0) -> Json:
    """Return the line of one sample with one trainer, and a field that we know nothing of."""
    frame = {"name": "step", "filename": "/srv/train.py", "line": 7, "short_filename": "train.py"}
    thread = {"thread_name": "MainThread", "frames": [frame], "active": True, "brand_new": [1, 2]}
    process = {"pid": 100 + rank, "rank": rank, "role": "trainer", "threads": [thread]}
    return {"node": node, "sample": number, "error": None, "processes": [process]}


@dataclass
class FakeAgent:
    """What the agent answers, and what it has seen.

    lines are the objects of its answer, without the end line; raw replaces the whole answer.
    """

    node: str
    lines: list[Json] = field(default_factory=list)
    seconds: float = 0.0
    status: int = 200
    refusal: Json = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    forged_line: int = -1
    nccl: Json | None = None
    url: str = ""
    asked: list[tuple[str, Json]] = field(default_factory=list)
    running: int = 0
    most_running: int = 0
    begun_at: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def bodies(self) -> list[Json]:
        return [body for path, body in self.asked if path == "/v1/captures"]

    @contextmanager
    def counted(self) -> Iterator[None]:
        with self.lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
            self.begun_at.append(time.monotonic())
        try:
            yield
        finally:
            with self.lock:
                self.running -= 1


class _Handler(BaseHTTPRequestHandler):
    server: "_Server"

    def do_POST(self) -> None:
        agent = self.server.agent
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = dict(self.headers.items())
        nonce = verify_request(SECRET, "POST", self.path, headers, body, lambda _: True)
        agent.asked.append((self.path, json.loads(body)))
        if self.path == "/v1/nccl":
            sample = json.loads(body).get("sample", 0)
            line: Json = {"nccl": {**agent.nccl, "sample": sample}} if agent.nccl else {}
            lines: list[Json] = [line, {"end": True}] if line else []
            self._begin(200 if lines else 500)
            self._send(nonce, lines)
            return
        with agent.counted():
            if agent.status != 200:
                self._begin(agent.status)
                self.wfile.write(json.dumps(agent.refusal).encode())
            elif not self._caller_leaves_within(agent.seconds):
                self._begin(200)
                end: list[Json] = [] if agent.cut else [{"end": True}]
                self._send(nonce, [*agent.lines, *end])

    def _caller_leaves_within(self, seconds: float) -> bool:
        readable, _, _ = select.select([self.connection], [], [], seconds)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def _begin(self, status: int) -> None:
        self.send_response(status)
        for name, value in self.server.agent.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _send(self, nonce: str, lines: list[Json]) -> None:
        for number, line in enumerate(lines):
            text = json.dumps(line)
            key = "foreign" if number == self.server.agent.forged_line else SECRET
            self.wfile.write(sign_line(key, nonce, number, text).encode() + b"\n")
        if self.server.agent.cut:
            self.wfile.write(b"0123 {half a li")

    def log_message(self, *arguments: object) -> None:
        del arguments


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    agent: FakeAgent

    def handle_error(self, request: object, client_address: object) -> None:
        del request, client_address  # The caller has gone away, which is what some tests are for.


@contextmanager
def fake_agent(node: str = "gpu07", rank: int = 0, **answers: Any) -> Iterator[FakeAgent]:
    """Serve a fake agent on a free loopback port."""
    lines = answers.pop("lines", [sample(node, number, rank) for number in range(2)])
    agent = FakeAgent(node, lines, **answers)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.agent = agent
    agent.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield agent
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
