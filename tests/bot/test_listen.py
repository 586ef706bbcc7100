"""`rankscope listen` as people run it: processes, the SDK's client, the emulator, a real Redis."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from redis import Redis

from bot.listen_cli import listen
from bot.listen_health import Standing
from sandbox.feishu.options import Options
from sandbox.feishu.testing import RunningEmulator, running_emulator
from tests.sandbox.feishu.waiting import until
from tests.scenarios.queued import queued

pytestmark = pytest.mark.integration

WAIT_S = 120.0
OPTIONS = Options(ping_s=1, reconnect_s=1, reconnect_jitter_s=0, retry_after_s=(0.2,) * 200)


@dataclass
class Listening:
    """A running `rankscope listen`."""

    process: subprocess.Popen[bytes]
    folder: Path
    emulator: RunningEmulator
    redis: Redis

    def standing(self) -> Standing:
        path = self.folder / "listen.json"
        if not path.exists():
            return Standing(at=0.0, supervisor=0)
        return msgspec.json.decode(path.read_bytes(), type=Standing)

    def listener(self) -> int:
        """The process that is connected now, 0 for none."""
        standing = self.standing()
        return standing.listener if standing.connected else 0

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def says_and_hears(self) -> None:
        """A person writes, and the command reaches the queue."""
        said = self.emulator.client.say(self.emulator.chat_id, "/help")
        wanted = f"message-{said.message_id}"
        until(lambda: wanted in [job_id for job_id, _, _ in queued(self.redis)], WAIT_S)


def environment(
    emulator: RunningEmulator, redis_url: str, folder: Path, secret: str
) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "REDIS_URL": redis_url,
        "RANKSCOPE_DATA_DIR": str(folder),
        "RANKSCOPE_FEISHU_DOMAIN": emulator.url,
        "RANKSCOPE_FEISHU_APP_ID": OPTIONS.app_id,
        "RANKSCOPE_FEISHU_APP_SECRET": secret,
    }


def command() -> list[str]:
    return [str(Path(sys.executable).with_name("rankscope")), "listen", "--most-restarts", "30"]


@pytest.fixture
def listening(redis: Redis, redis_url: str, tmp_path: Path) -> Iterator[Listening]:
    with running_emulator(OPTIONS) as emulator, (tmp_path / "log").open("wb") as log:
        env = environment(emulator, redis_url, tmp_path, OPTIONS.app_secret)
        process = subprocess.Popen(command(), env=env, stdout=log, stderr=log)
        one = Listening(process, tmp_path, emulator, redis)
        try:
            until(one.listener, WAIT_S)
            yield one
        finally:
            process.terminate()
            process.wait(30)


def test_whatever_happens_it_receives_again_and_ends_in_order(listening: Listening) -> None:
    listening.says_and_hears()
    first = listening.listener()

    # The network: the same process connects again.
    opened = listening.emulator.emulator.connections.opened_ever
    assert listening.emulator.client.drop_connections() == 1
    until(lambda: listening.emulator.emulator.connections.opened_ever > opened, WAIT_S)
    listening.says_and_hears()
    assert until(listening.listener) == first

    # Its sudden death: another process takes its place.
    os.kill(first, signal.SIGKILL)
    until(lambda: listening.standing().replaced and listening.listener(), WAIT_S)
    listening.says_and_hears()
    second = until(listening.listener)
    assert second != first
    assert "SIGKILL" in listening.standing().reason

    listening.process.send_signal(signal.SIGTERM)
    assert listening.process.wait(30) == 0
    assert not Path(f"/proc/{second}").exists()
    until(lambda: not listening.emulator.emulator.connections.open)

    said = listening.log()
    assert said.count("long connection open") == 3
    for secret in ("ticket=", "access_key=", OPTIONS.app_secret):
        assert secret not in said.replace("ticket=***", "").replace("access_key=***", "")


def test_a_connection_that_is_dead_though_open_is_replaced(listening: Listening) -> None:
    listening.emulator.client.drop_connections(silently=True)
    until(lambda: listening.standing().replaced and listening.listener(), WAIT_S)

    assert "has not been heard of" in listening.standing().reason
    listening.says_and_hears()


def test_a_wrong_secret_is_told_and_ends_it(redis_url: str, tmp_path: Path) -> None:
    with running_emulator(OPTIONS) as emulator:
        env = environment(emulator, redis_url, tmp_path, "wrong")
        ended = subprocess.run(command(), env=env, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    last = ended.stderr.splitlines()[-1]
    assert "app_id or app_secret is invalid" in last
    assert "RANKSCOPE_FEISHU_APP_SECRET" in last


def test_without_credentials_it_says_what_to_set(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "RANKSCOPE_DATA_DIR": str(tmp_path)}
    ended = subprocess.run(command(), env=env, capture_output=True, text=True, check=False)

    assert ended.returncode == 2
    assert "Set RANKSCOPE_FEISHU_APP_ID" in ended.stderr


def test_the_check_tells_that_nothing_runs(tmp_path: Path) -> None:
    checked = CliRunner().invoke(listen, ["--check", "--health-file", str(tmp_path / "x.json")])

    assert checked.exit_code == 1
    assert "No listener has run" in checked.output
