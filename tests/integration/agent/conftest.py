import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.client import Client
from tests.agent.conftest import SECRET, Server, agent_settings, free_port, serve
from tests.integration.agent.job import Job

__all__ = ["serve"]
_NEEDED = ("torch", "setproctitle")
_MISSING = "torch or setproctitle is not installed (pip install 'rankscope[torch]')"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs torch where it is missing, unless it is required."""
    is_there = all(importlib.util.find_spec(name) for name in _NEEDED)
    if is_there or os.environ.get("RANKSCOPE_REQUIRE_TORCH") == "1":
        return
    for item in items:
        if item.get_closest_marker("torch"):
            item.add_marker(pytest.mark.skip(reason=_MISSING))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("jobs")


@pytest.fixture(scope="session")
def agent() -> Iterator[Client]:
    """One agent for all jobs."""
    settings = agent_settings(port=free_port())
    server = Server(settings)
    server.start()
    client = Client(f"http://127.0.0.1:{settings.port}", SECRET, server.stop)
    try:
        yield client
    finally:
        client.http.close()
        server.stop()


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """After each test no py-spy works on the job and no process of it is left stopped."""
    yield
    for value in request.node.funcargs.values():
        if isinstance(value, Job):
            assert not value.py_spies()
            assert not value.left_stopped()
