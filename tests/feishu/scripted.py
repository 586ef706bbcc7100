"""A Feishu that answers what the test says: for failures no emulator makes on demand."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN_PATH = "/open-apis/auth/v3/tenant_access_token/internal"
SENT = {"code": 0, "msg": "success", "data": {"message_id": "om_9"}}

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as it came."""

    method: str
    path: str
    body: bytes
    token: str

    @property
    def json(self) -> Json:
        decoded: Json = json.loads(self.body)
        return decoded


@dataclass(slots=True)
class Scripted:
    """Answers in order, then SENT for ever; tokens are t-1, t-2, …"""

    url: str = ""
    answers: list[tuple[int, object, dict[str, str]]] = field(default_factory=list)
    token_answer: object = None
    asked: list[Asked] = field(default_factory=list)
    tokens: int = 0

    def next(self, status: int, body: object, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append((status, body, named))

    def answer(self, asked: Asked) -> tuple[int, object, dict[str, str]]:
        if asked.path == TOKEN_PATH:
            self.tokens += 1
            token = {"code": 0, "tenant_access_token": f"t-{self.tokens}", "expire": 7200}
            return 200, self.token_answer or token, {}
        self.asked.append(asked)
        return self.answers.pop(0) if self.answers else (200, SENT, {})


@contextmanager
def scripted_feishu() -> Iterator[Scripted]:
    script = Scripted()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            token = self.headers.get("Authorization", "").removeprefix("Bearer ")
            asked = Asked(self.command, self.path, body, token)
            status, answer, headers = script.answer(asked)
            raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            kind = "text/html" if isinstance(answer, bytes) else "application/json"
            for name, value in {"content-type": kind, **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PATCH = _do  # noqa: N815 - the names http.server asks for

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        script.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield script
        server.shutdown()
        thread.join()
