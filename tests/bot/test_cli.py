import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from bot.cli import bot, refused_for_now
from tests.conftest import MakeSettings

SECRETS = {"RANKSCOPE_WEBHOOK_SECRET": "w", "RANKSCOPE_AGENT_SECRET": "a"}


@contextmanager
def _running(redis_url: str) -> Iterator[subprocess.Popen[str]]:
    env = {"PATH": os.environ["PATH"], "REDIS_URL": redis_url, **SECRETS}
    command = [str(Path(sys.executable).with_name("rankscope")), "bot", "--port", "0"]
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def test_the_command_serves_and_stops_on_sigterm(redis_url: str) -> None:
    with _running(redis_url) as process:
        assert process.stderr is not None
        log = ""
        while "running on" not in log:
            log = process.stderr.readline()
        found = re.search(r"http://[\d.]+:\d+", log)
        assert found
        answer = httpx.get(f"{found[0]}/readyz", trust_env=False)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)

    assert answer.json() == {"status": "ready"}
    assert "server" not in answer.headers


def test_help_says_what_is_needed() -> None:
    said = CliRunner().invoke(bot, ["--help"]).output

    assert "REDIS_URL" in said
    assert "--port" in said


def test_missing_secrets_are_told_at_the_start(make_settings: MakeSettings) -> None:
    assert list(refused_for_now(make_settings(feishu_app_id="cli_1"))) == []
    without = make_settings(webhook_secret="", agent_secret="", feishu_encrypt_key="")
    told = " ".join(refused_for_now(without))

    for name in ("WEBHOOK_SECRET", "AGENT_SECRET", "FEISHU_ENCRYPT_KEY", "FEISHU_APP_ID"):
        assert f"RANKSCOPE_{name}" in told


@pytest.mark.parametrize("word", ["webhook-secret", "agent-secret", "encrypt-key"])
def test_warnings_never_show_a_secret(make_settings: MakeSettings, word: str) -> None:
    assert word not in " ".join(refused_for_now(make_settings()))
