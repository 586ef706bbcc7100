"""`rankscope worker`: the processes that capture, analyse and send."""

import sys

import click

from rankscope.feishu.webhook import group_webhook
from rankscope.json_logs import configure_logging
from rankscope.queueing import Queue
from rankscope.settings import Settings, settings
from rankscope.store.connection import WEB_TRIES, connect
from rankscope.store.server import ensure_server
from workers.chores import Chores
from workers.supervisor import Slot, Supervisor

QUEUES = {"chat": Queue.CHAT, "work": Queue.WORK}


@click.command()
@click.option(
    "--processes", type=click.IntRange(1, 256), default=2, show_default=True,
    help="RQ worker processes per queue; each runs one job at a time.",
)  # fmt: skip
@click.option(
    "--queue", "only", type=click.Choice(sorted(QUEUES)),
    help="Serve only this queue: chat (short: events, messages, cards) or work (captures).",
)  # fmt: skip
@click.option(
    "--grace", type=click.FloatRange(min=0), default=60.0, show_default=True, metavar="SECONDS",
    help="How long running jobs may go on after SIGTERM; they are then repeated elsewhere.",
)  # fmt: skip
@click.option("--burst", is_flag=True, help="Work until the queues are empty, then exit.")
def worker(processes: int, only: str | None, grace: float, *, burst: bool) -> None:
    """Run RQ workers: they ask the agents, analyse captures and talk to Feishu.

    Needs Redis (REDIS_URL, or the embedded server) and the same settings as the bot. Any number of
    machines may run workers of one Redis; their captures must then go to S3 (RANKSCOPE_STORE_URL).
    A killed worker's job is taken up again within half a minute.
    """
    configure_logging()
    group_webhook(settings())  # A wrong URL is better found now than when it is needed.
    queues = [QUEUES[only]] if only else list(QUEUES.values())
    slots = [Slot(queue) for queue in queues for _ in range(processes)]
    keeper = ServerKeeper(settings())
    try:
        sys.exit(_run(slots, keeper, grace, burst=burst))
    finally:
        keeper.server.stop()


class ServerKeeper:
    """Holds the Redis server, and starts the embedded one again when it has died."""

    def __init__(self, chosen: Settings) -> None:
        self._settings = chosen
        self.server = ensure_server(chosen)

    def keep(self) -> None:
        """Look whether the server's process lives; its address stays the same."""
        if not self.server.is_alive():
            self.server = ensure_server(self._settings)


def _run(slots: list[Slot], keeper: ServerKeeper, grace_s: float, *, burst: bool) -> int:
    url = keeper.server.url
    with connect(url, patience_tries=WEB_TRIES) as redis:
        chores = Chores(redis)

        def do_chores() -> None:
            keeper.keep()
            chores.run_due()

        supervisor = Supervisor(slots, url, do_chores, grace_s)
        if burst:
            return supervisor.run_burst()
        supervisor.run()
    return 0
