import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn

from agent.app import create_app
from agent.settings import AgentSettings
from tests.agent.client import Client
from tests.agent.targets import Targets, py_spies_of, stopped_tasks, wait_until

SECRET = "a-key-for-tests"
Serve = Callable[..., Client]


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("RANKSCOPE_AGENT_SECRET", "RANKSCOPE_AGENT_NODE", "RANKSCOPE_LANGUAGE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def targets(tmp_path: Path) -> Iterator[Targets]:
    """Start target processes; in the end no py-spy works on them and none is left stopped."""
    started = Targets(tmp_path)
    try:
        yield started
        pids = started.pids()
        wait_until(lambda: not py_spies_of(pids))
        left = set(stopped_tasks(pids)) - set(started.stopped_on_purpose)
        assert not left, f"left stopped: {left}"
    finally:
        started.stop()


@pytest.fixture
def settings() -> AgentSettings:
    return agent_settings()


def agent_settings(**changes: object) -> AgentSettings:
    given: dict[str, object] = {"secret": SECRET, "node": "node-a", "interval_s": 300.0, **changes}
    return AgentSettings(**given)  # type: ignore[arg-type]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """The real application under the real server, in a thread."""

    def __init__(self, settings: AgentSettings) -> None:
        config = uvicorn.Config(
            create_app(settings),
            host=settings.host,
            port=settings.port,
            log_level="warning",
            timeout_graceful_shutdown=2,
            ws="none",
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=asyncio.run, args=(self.server.serve(),))

    def start(self) -> None:
        self.thread.start()
        wait_until(lambda: self.server.started)

    def stop(self) -> None:
        self.server.should_exit = True
        self.thread.join(timeout=60)
        assert not self.thread.is_alive()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start agents and return a client of each."""
    servers: list[Server] = []
    clients: list[Client] = []

    def start(**changes: object) -> Client:
        settings = agent_settings(port=free_port(), **changes)
        server = Server(settings)
        server.start()
        servers.append(server)
        clients.append(Client(f"http://127.0.0.1:{settings.port}", SECRET, server.stop))
        return clients[-1]

    try:
        yield start
    finally:
        for client in clients:
            client.http.close()
        for server in servers:
            server.stop()
