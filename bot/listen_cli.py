"""`rankscope listen`: receive events and clicks over Feishu's long connection."""

import sys
import time
from importlib.util import find_spec
from pathlib import Path

import click

from bot.listen_beat import Ending
from bot.listen_health import Health, judge
from bot.listen_logs import configure_redacted_logging
from bot.listen_metrics import Reporter
from bot.listen_supervisor import Pace, Supervisor
from rankscope.errors import ConfigurationError
from rankscope.settings import Settings, settings
from rankscope.store.server import ensure_server

HEALTH_FILE = "listen.json"


@click.command()
@click.option(
    "--check", is_flag=True, help="Say whether the connection stands; exit code 1 if not."
)
@click.option(
    "--health-file", type=click.Path(path_type=Path, dir_okay=False),
    help=f"Where the state of the connection is written. Default: {HEALTH_FILE} in the data_dir.",
)  # fmt: skip
@click.option(
    "--most-restarts", type=click.IntRange(1, 60), default=6, show_default=True,
    help="How often a minute a process that hangs or dies is replaced at most.",
)  # fmt: skip
def listen(*, check: bool, health_file: Path | None, most_restarts: int) -> None:
    """Receive Feishu's events and clicks over its long connection, instead of by HTTP.

    Needs no address that Feishu can reach, only a way out to it, and the same settings and Redis as
    the bot, which still serves webhooks, agents and pages. Exits with code 2 when Feishu refuses
    the app's credentials; a connection that hangs or is lost is opened again.
    """
    chosen = settings()
    path = health_file or chosen.data_dir / HEALTH_FILE
    if check:
        stands, told = judge(path, time.time())
        click.echo(told)
        sys.exit(0 if stands else 1)
    _check(chosen)
    configure_redacted_logging()
    server = ensure_server(chosen)
    try:
        health = Health(path, Reporter(server.url))
        ending = Supervisor(server.url, Pace(most_restarts), health).run()
    finally:
        server.stop()
    if ending is Ending.REFUSED:
        raise ConfigurationError(
            f"Feishu refuses the app {chosen.feishu_app_id}. {judge(path, time.time())[1]}",
            "Check RANKSCOPE_FEISHU_APP_ID and RANKSCOPE_FEISHU_APP_SECRET, and that the app is "
            "published.",
        )


def _check(chosen: Settings) -> None:
    """Raise ConfigurationError for what cannot work."""
    if not (chosen.feishu_app_id and chosen.feishu_app_secret.get_secret_value()):
        raise ConfigurationError(
            "The long connection needs the app's credentials.",
            "Set RANKSCOPE_FEISHU_APP_ID and RANKSCOPE_FEISHU_APP_SECRET (docs/feishu-setup.md).",
        )
    if find_spec("lark_oapi") is None:
        raise ConfigurationError(
            "The long connection needs lark-oapi.", "pip install 'rankscope[listen]'"
        )
