"""A bot that takes down what it is sent, over real HTTP."""

import json
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

import msgspec

from rankscope.model.event import Event


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Event:
        return msgspec.json.decode(self.body, type=Event)


class Receiver:
    """Answers what `answers` says, one after the other, and then 202; a repeated id is known."""

    def __init__(self, port: int = 0) -> None:
        self.received: list[Received] = []
        self._accepted: set[str] = set()
        self.answers: list[tuple[int, object]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def types(self) -> list[str]:
        return [one.event.type for one in list(self.received)]

    def _answer(self, received: Received) -> tuple[int, object]:
        self.received.append(received)
        if self.answers:
            return self.answers.pop(0)
        known = received.event.id in self._accepted
        self._accepted.add(received.event.id)
        return 202, {"status": "duplicate" if known else "accepted"}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, answer = receiver._answer(Received(self.path, dict(self.headers), body))
                content = answer if isinstance(answer, str) else json.dumps(answer)
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content.encode())

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                del format, args

        return Handler
