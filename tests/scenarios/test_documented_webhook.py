"""What docs/webhooks.md shows does work."""

import os
import re
import shutil
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

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
