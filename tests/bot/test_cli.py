import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from bot.cli import bot, doubtful, refused_for_now
from tests.conftest import MakeSettings

SECRETS = {"RANKSCOPE_WEBHOOK_SECRET": "w", "RANKSCOPE_AGENT_SECRET": "a"}


@contextmanager
def _running(env: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    command = [str(Path(sys.executable).with_name("rankscope")), "bot", "--port", "0"]
    env = {"PATH": os.environ["PATH"], **SECRETS, **env}
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()


def _url(process: subprocess.Popen[str]) -> str:
    assert process.stderr is not None
    started = (re.search(r"running on (http://[\d.:]+)", line) for line in process.stderr)
    return next(found[1] for found in started if found)


def test_the_command_serves_and_stops_on_sigterm(redis_url: str) -> None:
    with _running({"REDIS_URL": redis_url}) as process:
        answer = httpx.get(f"{_url(process)}/readyz", trust_env=False)

    assert answer.json() == {"status": "ready"}
    assert "server" not in answer.headers
    assert process.returncode == 0


def test_the_embedded_redis_ends_with_the_bot_that_started_it() -> None:
    # A short path, since Unix sockets allow 107 bytes.
    with tempfile.TemporaryDirectory(prefix="rs-") as folder:
        with _running({"RANKSCOPE_DATA_DIR": folder}) as process:
            answer = httpx.get(f"{_url(process)}/readyz", trust_env=False)
        left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _names(path, folder)]

    assert answer.status_code == 200
    assert left == []


def _names(path: Path, folder: str) -> bool:
    try:
        return folder.encode() in path.read_bytes()
    except OSError:  # It has ended meanwhile.
        return False


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


def test_keys_of_single_sources_alone_are_said_to_refuse_all_others(
    make_settings: MakeSettings,
) -> None:
    chosen = make_settings(webhook_secret="", webhook_secrets={"slurm": "k" * 32})

    (said,) = [one for one in refused_for_now(chosen) if "ebhooks" in one]
    assert said.startswith("Only webhooks of slurm are taken")


def test_doubtful_settings_are_said(make_settings: MakeSettings) -> None:
    chosen = make_settings(
        webhook_secret="short",
        agent_secret="a" * 32,
        webhook_secrets={"slurm": "", "slrum": "k", "grafana": "k"},
        public_url="http://localhost:8000",
    )

    said = list(doubtful(chosen))

    assert len(said) == 4
    assert "slrum, which no source is called" in said[0]
    assert "Webhooks of slurm are refused" in said[1]
    assert "RANKSCOPE_WEBHOOK_SECRET can be guessed" in said[2]
    assert "RANKSCOPE_PUBLIC_URL" in said[3]


def test_sound_settings_raise_no_doubt(make_settings: MakeSettings) -> None:
    chosen = make_settings(
        webhook_secret="w" * 16, agent_secret="a" * 16, public_url="https://rankscope.example.com"
    )

    assert list(doubtful(chosen)) == []
