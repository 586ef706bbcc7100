"""What docs/webhooks.md shows does work."""

import os
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from bot.adapters.adapter import Item, JobUnknown
from bot.adapters.meanings import data
from bot.adapters.table import ADAPTERS
from rankscope.model.event import Event, EventJob, EventLog, EventNode
from tests.scenarios.conftest import RunningBot
from tests.scenarios.queued import queued

PAGE = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text(encoding="utf-8")


@pytest.mark.skipif(
    not (shutil.which("curl") and shutil.which("openssl")), reason="needs curl and openssl"
)
def test_the_shell_lines_send_an_event(bot: RunningBot) -> None:
    [script] = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    secret = bot.settings.webhook_secret.get_secret_value()
    env = {
        "PATH": os.environ["PATH"],
        "RANKSCOPE_WEBHOOK_SECRET": secret,
        "RANKSCOPE_URL": str(bot.http.base_url).rstrip("/"),
    }
    done = subprocess.run(
        ["bash", "-c", script], env=env, capture_output=True, text=True, check=True
    )

    assert '"accepted"' in done.stdout
    assert queued(bot.redis)[0][2]["job"]["id"] == "jo-1a2b"


@pytest.mark.parametrize("kind", [Event, EventJob, EventNode, EventLog])
def test_every_field_is_documented(kind: type) -> None:
    for field in fields(kind):
        assert re.search(rf'[`."]{field.name}[`"]', PAGE), field.name


def test_every_source_and_type_is_documented() -> None:
    for adapter in ADAPTERS:
        assert any(f"`{name}`" in PAGE for name in (adapter.name, *adapter.aliases)), adapter.name
    for type_ in data()["types"]:
        assert f"`{type_}`" in PAGE


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_the_slurm_script_sends_the_end_of_a_job(bot: RunningBot) -> None:
    [script] = [one for one in blocks("sh") if "SLURM_JOB_ID" in one]
    answer = run(bot, script, SLURM_JOB_ID="90210", SLURM_JOB_EXIT_CODE2="137:0")

    assert '"accepted"' in answer
    [(_, _, event)] = queued(bot.redis)
    assert (event["type"], event["labels"]["signal"]) == ("job.failed", "SIGKILL")


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
@pytest.mark.parametrize("path", ["cloudevents", "generic"])
def test_single_requests_work(bot: RunningBot, path: str) -> None:
    [script] = [one for one in blocks("sh") if f"/webhooks/{path}" in one]

    assert '"accepted"' in run(bot, script)
    assert queued(bot.redis)[0][2]["job"]["id"] == "jo-1a2b"


def test_the_adapter_shown_works() -> None:
    [source] = [one for one in blocks("python") if "ADAPTER =" in one]
    namespace: dict[str, Any] = {}
    exec(compile(source, "docs/webhooks.md", "exec"), namespace)
    adapter = namespace["ADAPTER"]
    page = {"page": 7, "run": "jo-1a2b", "words": "no progress", "at": 1735689600}

    [event] = adapter.read(Item(page))
    assert adapter.recognises(Item(page))
    assert (event.type, event.job.id, event.source) == ("job.hang", "jo-1a2b", "pager")
    with pytest.raises(JobUnknown, match="run"):
        adapter.read(Item({"page": 7}))


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def run(bot: RunningBot, script: str, **env: str) -> str:
    given = {
        "PATH": os.environ["PATH"],
        "RANKSCOPE_KEY": bot.settings.webhook_secret.get_secret_value(),
        "RANKSCOPE_URL": str(bot.http.base_url).rstrip("/"),
        **env,
    }
    done = subprocess.run(
        ["sh", "-c", script], env=given, capture_output=True, text=True, check=True
    )
    return done.stdout
