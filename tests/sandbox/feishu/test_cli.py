"""The command, run as a user runs it."""

import os
import re
import signal
import socket
import subprocess
import sys

import httpx
from click.testing import CliRunner

from sandbox.feishu.cli import emulator


def test_help_explains_every_option() -> None:
    shown = CliRunner().invoke(emulator, ["--help"]).output

    for option in ("--host", "--port", "--app-id", "--encrypt-key", "--event-url", "--chat"):
        assert option in shown


def start(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "rankscope", "emulator", *arguments]
    return subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_it_serves_says_where_and_stops() -> None:
    process = start("--port", "0", FEISHU_EMULATOR_CHAT="甲", FEISHU_EMULATOR_BOT_NAME="看门人")
    try:
        assert process.stdout is not None
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found
        with httpx.stream("GET", f"{found[0]}/emulator/api/stream", trust_env=False) as stream:
            assert next(stream.iter_lines()) == ": welcome"
            page = httpx.get(found[0], trust_env=False)
            chats = httpx.get(f"{found[0]}/emulator/api/chats", trust_env=False)
            # An open page must not keep it from stopping.
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()

    assert "看门人" in page.text
    assert chats.json()[0]["name"] == "甲"
    assert (complaints, process.returncode) == ("", 0)


def test_a_taken_port_is_explained() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        process = start("--port", str(taken.getsockname()[1]))
        _, complaints = process.communicate(timeout=20)

    assert process.returncode == 2
    assert "choose another port" in complaints
