import os
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from agent.cli import agent
from rankscope.errors import ConfigurationError
from tests.agent.client import Client
from tests.agent.conftest import SECRET, free_port
from tests.agent.targets import JOB, Targets, fake_py_spy, py_spies_of, wait_until

MAIN = "from rankscope.cli import main; main()"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("language", "ready"), [("zh", "本机可以采集"), ("en", "permits captures")]
)
def test_check_tells_that_this_host_is_ready(language: str, ready: str) -> None:
    env = {"RANKSCOPE_AGENT_SECRET": SECRET, "RANKSCOPE_LANGUAGE": language}
    result = CliRunner().invoke(agent, ["--check"], env=env)
    assert result.exit_code == 0, result.output
    assert ready in result.output
    assert SECRET not in result.output


def test_check_tells_what_to_change(tmp_path: Path) -> None:
    env = {"RANKSCOPE_AGENT_PY_SPY": str(tmp_path / "nowhere"), "RANKSCOPE_LANGUAGE": "en"}
    result = CliRunner().invoke(agent, ["--check"], env=env)
    assert result.exit_code == 1
    assert "✗ py-spy was not found" in result.output
    assert "set RANKSCOPE_AGENT_PY_SPY" in result.output
    assert "✗ RANKSCOPE_AGENT_SECRET is not set" in result.output


@pytest.mark.parametrize(
    ("arguments", "env", "message"),
    [
        ([], {}, "no key"),
        (["--port", "99999"], {"RANKSCOPE_AGENT_SECRET": SECRET}, "setting port"),
        ([], {"RANKSCOPE_AGENT_SECRET": SECRET, "RANKSCOPE_AGENT_TLS_CERT": "x"}, "needs its key"),
        (
            [],
            {"RANKSCOPE_AGENT_SECRET": SECRET, "RANKSCOPE_AGENT_TLS_CLIENT_CA": "x"},
            "only be asked for over TLS",
        ),
    ],
)
def test_contradictions_are_said(arguments: list[str], env: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        CliRunner().invoke(agent, arguments, env=env, catch_exceptions=False)


@pytest.mark.integration
def test_sigterm_ends_the_agent_and_its_py_spies(targets: Targets) -> None:
    # GIVEN an agent process in the middle of a capture
    pid = targets.trainer(0)
    port = free_port()
    env = {
        **os.environ,
        "RANKSCOPE_AGENT_SECRET": SECRET,
        "RANKSCOPE_AGENT_PY_SPY": fake_py_spy(targets.folder, 'sleep 600 "$4"; true'),
        "RANKSCOPE_AGENT_PROCESS_TIMEOUT_S": "60",
    }
    command = [sys.executable, "-c", MAIN, "agent", "--port", str(port)]
    process = subprocess.Popen(command, env=env)
    client = Client(f"http://127.0.0.1:{port}", SECRET, process.terminate)
    try:
        wait_until(lambda: healthy(client))
        with client.streamed(JOB, budget_s=120):
            wait_until(lambda: py_spies_of({pid}))
            # WHEN it is told to end
            process.send_signal(signal.SIGTERM)
            # THEN it does so and leaves nothing behind
            assert process.wait(timeout=60) in {0, -signal.SIGTERM}
        assert not py_spies_of({pid})
    finally:
        process.kill()
        process.wait()
        client.http.close()


def healthy(client: Client) -> bool:
    try:
        return client.http.get("/healthz").is_success
    except httpx.TransportError:
        return False
