"""The `rankscope` command; each subcommand is an entry point and loads only what it needs."""

import sys
from importlib.metadata import EntryPoint, entry_points

import click

from rankscope import __version__
from rankscope.errors import RankscopeError

GROUP = "rankscope.commands"
EXTRA_OF = {
    "agent": "agent",
    "bot": "bot",
    "demo": "sandbox",
    "listen": "listen",
    "routes": "worker",
    "worker": "worker",
}


class LazyCommands(click.Group):
    """Finds subcommands among the installed entry points, and imports the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all installed commands."""
        del ctx
        return sorted(point.name for point in entry_points(group=GROUP))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command, or None when there is no such command."""
        del ctx
        for point in entry_points(group=GROUP):
            if point.name == cmd_name:
                return _load(point)
        return None


def _load(point: EntryPoint) -> click.Command:
    try:
        command: click.Command = point.load()
    except ModuleNotFoundError as error:
        extra = EXTRA_OF.get(point.name, "sandbox")
        message = f"`rankscope {point.name}` needs {error.name}: pip install 'rankscope[{extra}]'"
        return click.Command(point.name, callback=lambda: _fail(message), help=message)
    return command


def _fail(message: str) -> None:
    raise RankscopeError(message)


@click.command(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="rankscope")
def rankscope() -> None:
    """Show where every rank of a stuck training job is, and whom the others wait for."""


def main() -> None:
    """Run the command line; a RankscopeError is one clear line on stderr and exit code 2."""
    try:
        rankscope(standalone_mode=True)
    except RankscopeError as error:
        click.echo(f"rankscope: {error}", err=True)
        sys.exit(2)
