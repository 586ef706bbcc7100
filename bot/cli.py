"""`rankscope bot`: serve Feishu, webhooks, agents' heartbeats and people's browsers."""

import signal
import sys
from collections.abc import Iterator

import click
import structlog
import uvicorn
from fastapi import FastAPI

from bot.app import create_app
from rankscope.json_logs import configure_logging
from rankscope.settings import Settings, settings
from rankscope.store.connection import connect
from rankscope.store.server import ensure_server

GRACE_S = 5

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
    for what in refused_for_now(chosen):
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
        yield "Webhooks are refused until RANKSCOPE_WEBHOOK_SECRET is set."
    if not chosen.agent_secret.get_secret_value():
        yield "Agents are refused until RANKSCOPE_AGENT_SECRET is set."
    if not chosen.feishu_encrypt_key.get_secret_value():
        yield "Feishu is checked by token only until RANKSCOPE_FEISHU_ENCRYPT_KEY is set."
    if not chosen.feishu_app_id:
        yield "Any mentioned bot counts as ours until RANKSCOPE_FEISHU_APP_ID is set."
