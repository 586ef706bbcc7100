"""`rankscope demo`."""

import secrets
import shutil
import sys
import tempfile
from pathlib import Path

import click

from rankscope.errors import RankscopeError
from rankscope.model.text import Language
from rankscope.text import say
from sandbox.cluster.faults import Fault
from sandbox.cluster.launch import free_port
from sandbox.demo.parts import HOST, NODES, WORLD_SIZE, Ports, Setup
from sandbox.demo.run import Demo, interrupted_by_sigterm


@click.command()
@click.option(
    "--once", is_flag=True,
    help="Do without a person: capture, re-capture, compare, type commands, check, and end.",
)  # fmt: skip
@click.option(
    "--fault", type=click.Choice([str(fault) for fault in Fault]), default="fifo",
    show_default=True, help="What goes wrong with one rank of the training job.",
)  # fmt: skip
@click.option(
    "--fault-rank", type=click.IntRange(0, WORLD_SIZE - 1), help="Which rank. Default: any."
)
@click.option(
    "--lang", type=click.Choice(["zh", "en"]), default="zh", show_default=True,
    envvar="RANKSCOPE_LANGUAGE", help="Language of the cards and of this output.",
)  # fmt: skip
@click.option(
    "--receive", type=click.Choice(["http", "listen"]), default="http", show_default=True,
    help="How Feishu's events reach the bot: by HTTP, or over a long connection.",
)  # fmt: skip
@click.option(
    "--keep-dir", type=click.Path(path_type=Path, file_okay=False),
    help="Folder for logs, captures and Redis' data, which is kept. Default: a temporary one.",
)  # fmt: skip
@click.option(
    "--port-base", type=click.IntRange(1024, 65000),
    help="Use this port for the chat page and the next ones for bot and agents. Default: any free.",
)  # fmt: skip
def demo(  # noqa: PLR0913 - one for each option
    *,
    once: bool,
    fault: str,
    fault_rank: int | None,
    lang: Language,
    receive: str,
    keep_dir: Path | None,
    port_base: int | None,
) -> None:
    """Run the whole loop on this machine: no Feishu account, GPU or cluster needed.

    Starts Redis (or uses REDIS_URL), a Feishu emulator, the bot, RQ workers, two agents and a
    training job of eight processes that gets stuck, and stops all of it at Ctrl-C. With --once the
    exit code is 0 only when the stuck rank, and no other, was named.
    """
    folder = _folder(keep_dir)
    setup = Setup(
        folder=folder,
        ports=_ports(port_base),
        job_id=f"jo-{secrets.token_hex(4)}",
        fault=Fault(fault),
        fault_rank=secrets.randbelow(WORLD_SIZE) if fault_rank is None else fault_rank,
        language=lang,
        listens=receive == "listen",
    )
    well = _run(setup, once=once)
    if well and keep_dir is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        click.echo(say("demo-kept", folder=folder).of(lang))
    sys.exit(0 if well else 1)


def _run(setup: Setup, *, once: bool) -> bool:
    try:
        with interrupted_by_sigterm():
            return Demo(setup).run(once=once)
    except KeyboardInterrupt:
        click.echo(say("demo-stopped").of(setup.language))
        return not once
    except RankscopeError as error:
        click.echo(f"✗ {error}", err=True)
        return False


def _folder(wanted: Path | None) -> Path:
    """Return an absolute folder that only its owner can enter."""
    if wanted is None:
        return Path(tempfile.mkdtemp(prefix="rankscope-demo-"))
    wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
    return wanted.resolve()


def _ports(base: int | None) -> Ports:
    if base is not None:
        return Ports(emulator=base, bot=base + 1, agent=base + 2)
    agent_host = next(iter(NODES.values()))
    return Ports(emulator=free_port(HOST), bot=free_port(HOST), agent=free_port(agent_host))
