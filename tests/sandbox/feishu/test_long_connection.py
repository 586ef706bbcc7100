"""The long connection of the emulator, with the SDK's own client at the other end."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import lark_oapi as lark
import pytest
from lark_oapi.ws import client as sdk
from lark_oapi.ws.exception import ClientException
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator
from tests.sandbox.feishu.samples import button, card, dumped
from tests.sandbox.feishu.waiting import until

OPTIONS = Options(
    retry_after_s=(0.05, 0.05),
    ping_s=1,
    reconnect_s=1,
    reconnect_jitter_s=0,
    most_connections=2,
    frame_bytes=200,
)


@dataclass
class SdkClient:
    """A bot that receives through the SDK, unchanged, in a thread."""

    url: str
    secret: str = OPTIONS.app_secret
    messages: list[Any] = field(default_factory=list)
    clicks: list[Any] = field(default_factory=list)
    reconnected: threading.Event = field(default_factory=threading.Event)
    click_answer: Callable[[Any], Any] = lambda click: {}

    def start(self, loop: asyncio.AbstractEventLoop) -> sdk.Client:
        def clicked(click: Any) -> Any:
            self.clicks.append(click)
            return self.click_answer(click)

        handler = (
            lark.EventDispatcherHandler.builder("", "")
            .register_p2_im_message_receive_v1(self.messages.append)
            .register_p2_card_action_trigger(clicked)
            .build()
        )
        asyncio.set_event_loop(loop)
        sdk.loop = loop
        client = lark.ws.Client(
            OPTIONS.app_id,
            self.secret,
            lark.LogLevel.CRITICAL,
            handler,
            domain=self.url,
        )
        client.on_reconnected = self.reconnected.set
        return client


@contextmanager
def own_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Lend the SDK a loop: it keeps one for the whole process."""
    before, loop = sdk.loop, asyncio.new_event_loop()
    try:
        yield loop
    finally:
        sdk.loop = before
        tasks = asyncio.all_tasks(loop)
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()
        asyncio.set_event_loop(None)


@contextmanager
def connected(client: SdkClient) -> Iterator[SdkClient]:
    """The SDK has no way to end: this stops its loop, then takes the connection away."""
    loops: list[asyncio.AbstractEventLoop] = []

    def work() -> None:
        with own_loop() as loop:
            loops.append(loop)
            made = client.start(loop)
            with pytest.raises(RuntimeError, match="stopped"):
                made.start()
            made.on_reconnecting = loop.stop
            loop.create_task(made._disconnect())
            loop.run_forever()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield client
    finally:
        loops[0].call_soon_threadsafe(loops[0].stop)
        thread.join()


@pytest.fixture(scope="module")
def _served() -> Iterator[RunningEmulator]:
    with running_emulator(OPTIONS) as running:
        yield running


@pytest.fixture
def running(_served: RunningEmulator) -> RunningEmulator:
    until(lambda: not _served.emulator.connections.open)
    _served.client.reset()
    return _served


@pytest.fixture
def client(running: RunningEmulator) -> Iterator[SdkClient]:
    with connected(SdkClient(running.url)) as made:
        until(lambda: running.emulator.connections.open)
        yield made


def posted(running: RunningEmulator, *components: Any) -> str:
    token = httpx.post(
        f"{running.url}/open-apis/auth/v3/tenant_access_token/internal",
        json={"app_id": OPTIONS.app_id, "app_secret": OPTIONS.app_secret},
    ).json()["tenant_access_token"]
    answer = httpx.post(
        f"{running.url}/open-apis/im/v1/messages?receive_id_type=chat_id",
        headers={"Authorization": f"Bearer {token}"},
        json={
            "receive_id": running.chat_id,
            "msg_type": "interactive",
            "content": dumped(card(*components)),
        },
    ).json()
    return str(answer["data"]["message_id"])


def test_a_message_arrives_and_is_acknowledged(running: RunningEmulator, client: SdkClient) -> None:
    said = running.client.say(running.chat_id, "/capture job-42 " + "很长 " * 200)
    until(lambda: client.messages)

    [event] = client.messages
    assert event.event.message.message_id == said.message_id
    assert "很长" in event.event.message.content
    until(lambda: [d.state for d in running.client.deliveries()] == ["delivered"])
    assert running.client.subscription()["state"] == "long"


def test_a_click_is_answered(running: RunningEmulator, client: SdkClient) -> None:
    client.click_answer = lambda click: {"toast": {"type": "info", "content": "好"}}
    message_id = posted(running, button("go"))
    result = running.client.press(message_id, "go")

    assert result.toast == {"type": "info", "content": "好"}
    assert client.clicks[0].event.action.value == {"act": "go"}


def test_a_handler_that_fails_gets_the_event_again(
    running: RunningEmulator, client: SdkClient
) -> None:
    private = next(chat for chat in running.client.chats() if chat.chat_type == "group")
    running.client.move_bot(private.chat_id, inside=False)  # The SDK knows no handler for this.

    until(lambda: [d.state for d in running.client.deliveries()] == ["given up"])
    [delivery] = running.client.deliveries()
    assert [attempt["outcome"] for attempt in delivery.attempts] == ["500"] * 3


def test_a_lost_connection_is_opened_again(running: RunningEmulator, client: SdkClient) -> None:
    assert running.client.drop_connections() == 1
    assert client.reconnected.wait(10)

    running.client.say(running.chat_id, "/help")
    until(lambda: client.messages)


def test_a_silent_connection_answers_nothing(running: RunningEmulator, client: SdkClient) -> None:
    message_id = posted(running, button("go"))
    assert running.client.drop_connections(silently=True) == 1
    result = running.client.press(message_id, "go")

    assert result.error is not None
    assert result.error.code == 200341
    assert client.clicks == []


def test_pings_are_answered_with_the_servers_settings(
    running: RunningEmulator, client: SdkClient
) -> None:
    [connection] = running.emulator.connections.open
    sent = []
    send = connection.send

    async def watched(data: bytes) -> None:
        sent.append(data)
        await send(data)

    connection.send = watched
    until(lambda: sent)

    assert b"pong" in sent[0]
    assert b'"PingInterval": 1' in sent[0]


@pytest.mark.parametrize(
    ("app_id", "secret", "code"),
    [
        ("", "", 1000040344),
        ("cli_other", "x", 1000040346),
        (OPTIONS.app_id, "wrong", 1000040345),
    ],
)
def test_wrong_credentials_are_refused(
    running: RunningEmulator, app_id: str, secret: str, code: int
) -> None:
    body = {"AppID": app_id, "AppSecret": secret}

    answer = httpx.post(f"{running.url}/callback/ws/endpoint", json=body)
    assert answer.json()["code"] == code


def _address(running: RunningEmulator) -> str:
    body = {"AppID": OPTIONS.app_id, "AppSecret": OPTIONS.app_secret}
    answer = httpx.post(f"{running.url}/callback/ws/endpoint", json=body).json()
    return str(answer["data"]["URL"])


def test_the_connections_of_an_app_are_limited(running: RunningEmulator) -> None:
    with (
        connect(_address(running), proxy=None),
        connect(_address(running), proxy=None),
        pytest.raises(InvalidStatus) as refused,
    ):
        connect(_address(running), proxy=None)

    headers = refused.value.response.headers
    assert headers["Handshake-Status"] == "514"
    assert headers["Handshake-Autherrcode"] == "1000040350"


def test_a_ticket_is_good_for_one_handshake(running: RunningEmulator) -> None:
    address = _address(running)
    with connect(address, proxy=None), pytest.raises(InvalidStatus) as refused:
        connect(address, proxy=None)

    assert refused.value.response.headers["Handshake-Status"] == "403"


def test_the_sdk_takes_the_refusal_for_final(running: RunningEmulator) -> None:
    with own_loop() as loop, pytest.raises(ClientException, match="1000040345"):
        SdkClient(running.url, secret="wrong").start(loop).start()


def test_noise_ends_the_connection(running: RunningEmulator) -> None:
    with connect(_address(running), proxy=None) as connection:
        connection.send(b"\xff\xff")
        until(lambda: not running.emulator.connections.open)
