"""The platform in the demo: it sees how the training job ended, and tells the bot with its log.

A real one does the same from its controller, or from an epilog (docs/webhooks.md).
"""

from pathlib import Path

import httpx
import msgspec

from rankscope.model.event import Event, EventJob, EventLog
from rankscope.redaction import redact
from rankscope.signing import sign_webhook
from sandbox.demo.parts import Setup

SENT = 64 * 1024
TIMEOUT_S = 10.0
COMMAND = "python -m sandbox.cluster.launch 2>&1 | tee train.log"


def tell_failure(setup: Setup, code: int) -> None:
    """Post that the job has failed, with the end of its log; raises httpx.HTTPError."""
    event = Event(
        id=f"{setup.job_id}-failed",
        type="job.failed",
        job=EventJob(id=setup.job_id, name="demo pretrain", command=COMMAND),
        source="demo-platform",
        state="failed",
        severity="critical",
        attempt=0,
        message=f"worker exited with code {code}",
        logs=(end_of_log(setup.training_log),),
    )
    body = msgspec.json.encode(event)
    headers = {"Content-Type": "application/json", **sign_webhook(setup.keys.webhook, body)}
    with httpx.Client(trust_env=False, timeout=TIMEOUT_S) as client:
        url = f"{setup.bot_url}/webhooks/rankscope"
        client.post(url, content=body, headers=headers).raise_for_status()


def end_of_log(path: Path) -> EventLog:
    """Return the last lines of a log, without secrets, and where in the log they begin."""
    text = path.read_text(encoding="utf-8", errors="replace")
    start = max(0, len(text) - SENT)
    start = start and text.find("\n", start) + 1
    first = text.count("\n", 0, start) + 1
    return EventLog(worker=path.name, text=redact(text[start:]), first_line=first)
