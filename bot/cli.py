"""`rankscope bot`: serve Feishu, webhooks, agents' heartbeats and people's browsers."""

import signal
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import click
import structlog
import uvicorn
from fastapi import FastAPI

from bot.adapters.table import BY_NAME
from bot.app import create_app
from rankscope.json_logs import configure_logging
from rankscope.settings import Settings, settings
from rankscope.store.connection import connect
from rankscope.store.server import ensure_server

GRACE_S = 5
SHORTEST_SECRET = 16

_log = structlog.get_logger()


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8000, show_default=True, help="Port to listen on; 0: any free one.")
def bot(host: str, port: int) -> None:
    """Answer Feishu, webhooks, agents and browsers, and enqueue the work for RQ workers.

    Needs Redis (REDIS_URL, or the embedded server), a Feishu app (docs/feishu-setup.md), secrets;
    all of them are settings, from the environment or a .env file.
    """
    configure_logging()
    chosen = settings()
    for what in (*refused_for_now(chosen), *doubtful(chosen)):
        _log.warning("not configured", effect=what)
    # uvicorn stops on SIGTERM and raises it again: then this makes the clean-up below run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = ensure_server(chosen)
    try:
        _serve(create_app(chosen, connect(server.url)), host, port)
    finally:
        server.stop()


def _serve(app: FastAPI, host: str, port: int) -> None:
    uvicorn.run(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )


def refused_for_now(chosen: Settings) -> Iterator[str]:
    """Yield what the bot will refuse, for want of a secret."""
    if not chosen.webhook_secret.get_secret_value():
        yield _refused_webhooks(chosen)
    if not chosen.agent_secret.get_secret_value():
        yield "Agents are refused until RANKSCOPE_AGENT_SECRET is set."
    if not chosen.feishu_encrypt_key.get_secret_value():
        yield "Feishu is checked by token only until RANKSCOPE_FEISHU_ENCRYPT_KEY is set."
    if not chosen.feishu_app_id:
        yield "Any mentioned bot counts as ours until RANKSCOPE_FEISHU_APP_ID is set."


def _refused_webhooks(chosen: Settings) -> str:
    own = sorted(name for name, key in chosen.webhook_secrets.items() if key.get_secret_value())
    if not own:
        return "Webhooks are refused until RANKSCOPE_WEBHOOK_SECRET is set."
    return (
        f"Only webhooks of {', '.join(own)} are taken, for RANKSCOPE_WEBHOOK_SECRETS names no other"
        " and RANKSCOPE_WEBHOOK_SECRET is empty."
    )


def doubtful(chosen: Settings) -> Iterator[str]:
    """Yield what is set in a way that hardly anybody means."""
    for name, key in sorted(chosen.webhook_secrets.items()):
        if name not in BY_NAME:
            yield f"RANKSCOPE_WEBHOOK_SECRETS has a key for {name}, which no source is called."
        elif not key.get_secret_value():
            yield f"Webhooks of {name} are refused: its key in RANKSCOPE_WEBHOOK_SECRETS is empty."
    secrets = {
        "RANKSCOPE_WEBHOOK_SECRET": chosen.webhook_secret,
        "RANKSCOPE_AGENT_SECRET": chosen.agent_secret,
    }
    for name, secret in secrets.items():
        if 0 < len(secret.get_secret_value()) < SHORTEST_SECRET:
            yield f"{name} can be guessed: it has fewer than {SHORTEST_SECRET} characters."
    if urlsplit(chosen.public_url).hostname in {"127.0.0.1", "localhost", "::1"}:
        yield "Links on cards lead nowhere from other machines until RANKSCOPE_PUBLIC_URL is set."
