"""Fixtures: a served emulator, the real SDK pointed at it, and a bot made with the real SDK."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import lark_oapi as lark
import pytest
from lark_oapi.core.model import RawRequest

from sandbox.feishu.clock import StoppedClock
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator

OPTIONS = Options(
    encrypt_key="encrypt-key", verification_token="the-token", retry_after_s=(0.05, 0.05)
)
CANONICAL = {
    name.lower(): name
    for name in ("X-Lark-Request-Timestamp", "X-Lark-Request-Nonce", "X-Lark-Signature")
}


@pytest.fixture(scope="session")
def _served() -> Iterator[RunningEmulator]:
    # Its clock stands still, so that limits do not depend on how fast a test runs.
    with running_emulator(OPTIONS, clock=StoppedClock(time.time())) as running:
        yield running


@pytest.fixture
def running(_served: RunningEmulator) -> RunningEmulator:
    """One server for all tests, emptied before each."""
    _served.client.reset()
    _served.client.point_at("")
    return _served


@pytest.fixture
def sdk(running: RunningEmulator) -> lark.Client:
    # The SDK keeps tokens per process, whatever server they came from.
    lark.core.token.TokenManager.cache.set(f"self_tenant_token:{OPTIONS.app_id}", "", 0)
    builder = lark.Client.builder().app_id(OPTIONS.app_id).app_secret(OPTIONS.app_secret)
    return builder.domain(running.url).log_level(lark.LogLevel.ERROR).build()


class Api:
    """Bare calls of the open platform with a good token."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, trust_env=False)
        answer = self.http.post(
            "/open-apis/auth/v3/tenant_access_token/internal",
            json={"app_id": OPTIONS.app_id, "app_secret": OPTIONS.app_secret},
        )
        self.http.headers["Authorization"] = f"Bearer {answer.json()['tenant_access_token']}"

    def call(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.http.request(method, f"/open-apis{path}", **more)

    def send(self, chat_id: str, msg_type: str, content: Any, **more: Any) -> httpx.Response:
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        body = {"receive_id": chat_id, "msg_type": msg_type, "content": text, **more}
        return self.call("POST", "/im/v1/messages?receive_id_type=chat_id", json=body)

    def sent(self, chat_id: str, msg_type: str, content: Any, **more: Any) -> str:
        answer = self.send(chat_id, msg_type, content, **more).json()
        assert answer["code"] == 0, answer
        return str(answer["data"]["message_id"])

    def patch(self, message_id: str, card: Any) -> httpx.Response:
        content = json.dumps(card, ensure_ascii=False)
        return self.call("PATCH", f"/im/v1/messages/{message_id}", json={"content": content})


@pytest.fixture
def api(running: RunningEmulator) -> Iterator[Api]:
    running.emulator.tenant_tokens.revoke_all()
    made = Api(running.url)
    yield made
    made.http.close()


@dataclass
class SdkBot:
    """A bot whose requests are opened by lark-oapi's own dispatcher; answers can be replaced."""

    url: str = ""
    messages: list[Any] = field(default_factory=list)
    clicks: list[Any] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    click_answer: Callable[[Any], Any] = lambda click: {}
    raw_answers: list[tuple[int, bytes]] = field(default_factory=list)
    before_answer: Callable[[], None] = lambda: None


def _dispatcher(bot: SdkBot) -> lark.EventDispatcherHandler:
    def clicked(click: Any) -> Any:
        bot.clicks.append(click)
        return bot.click_answer(click)

    return (
        lark.EventDispatcherHandler.builder(OPTIONS.encrypt_key, OPTIONS.verification_token)
        .register_p2_im_message_receive_v1(bot.messages.append)
        .register_p2_card_action_trigger(clicked)
        .register_p2_application_bot_menu_v6(bot.messages.append)
        .register_p2_im_chat_member_bot_added_v1(bot.messages.append)
        .register_p2_im_chat_member_bot_deleted_v1(bot.messages.append)
        .build()
    )


def _handler(bot: SdkBot) -> type[BaseHTTPRequestHandler]:
    dispatcher = _dispatcher(bot)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = RawRequest()
            request.uri = self.path
            request.body = self.rfile.read(int(self.headers["Content-Length"]))
            request.headers = {CANONICAL.get(k.lower(), k): v for k, v in self.headers.items()}
            bot.bodies.append(request.body)
            answer = dispatcher.do(request)
            status, body = answer.status_code, answer.content
            if bot.raw_answers and b"challenge" not in (body or b""):
                status, body = bot.raw_answers.pop(0)
            bot.before_answer()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@pytest.fixture
def bot(running: RunningEmulator) -> Iterator[SdkBot]:
    made = SdkBot()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(made))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}/feishu/events"
    running.client.point_at(made.url)
    yield made
    running.client.point_at("")
    server.shutdown()
    thread.join()
    server.server_close()
