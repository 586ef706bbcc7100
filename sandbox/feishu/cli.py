"""`rankscope emulator`: run the emulator by itself."""

from contextlib import suppress
from dataclasses import replace
from typing import get_args

import click

from sandbox.feishu.emulator import create_emulator
from sandbox.feishu.options import RETRY_AFTER_S, Options, Receive
from sandbox.feishu.server import Server, listen

_DEFAULT = Options()


@click.command(context_settings={"auto_envvar_prefix": "FEISHU_EMULATOR"})
@click.option("--host", default=_DEFAULT.host, show_default=True, help="Address to listen on.")
@click.option("--port", default=_DEFAULT.port, show_default=True, help="Port; 0 is any.")
@click.option("--app-id", default=_DEFAULT.app_id, show_default=True, help="App ID of the bot.")
@click.option(
    "--app-secret", default=_DEFAULT.app_secret, show_default=True, help="App Secret of the bot."
)
@click.option(
    "--encrypt-key", default="", help="Encrypt Key; pushes are plain and unsigned without it."
)
@click.option(
    "--verification-token",
    default=_DEFAULT.verification_token,
    show_default=True,
    help="Verification Token in every push.",
)
@click.option("--event-url", default="", help="Where the bot receives events.")
@click.option("--callback-url", default="", help="Where clicks go, when not to the event URL.")
@click.option(
    "--receive", type=click.Choice(get_args(Receive)), default=_DEFAULT.receive, show_default=True,
    help="How events reach the bot; auto: over a long connection while one is open, else HTTP.",
)  # fmt: skip
@click.option("--bot-name", default=_DEFAULT.bot_name, show_default=True, help="The bot's name.")
@click.option(
    "--person", "people", envvar="FEISHU_EMULATOR_PERSON", multiple=True, metavar="NAME[=ROLE]",
    default=_DEFAULT.people, show_default=True,
    help="Somebody in all chats; repeat it for more. The open_id follows from the name.",
)  # fmt: skip
@click.option(
    "--menu", envvar="FEISHU_EMULATOR_MENU", multiple=True, metavar="KEY",
    default=_DEFAULT.menu, show_default=True,
    help="Event key of an item of the bot's menu; repeat it for more.",
)  # fmt: skip
@click.option(
    "--chat", "chats", envvar="FEISHU_EMULATOR_CHAT", multiple=True,
    default=_DEFAULT.chats, show_default=True,
    help="Name of a group; repeat it for more. The id follows from the name.",
)  # fmt: skip
@click.option(
    "--retry-after", multiple=True, type=float, default=RETRY_AFTER_S, show_default=True,
    help="Seconds until an unanswered event is pushed again; repeat it for every further try.",
)  # fmt: skip
@click.option("--deliver-twice", is_flag=True, help="Deliver every event twice, to test the bot.")
@click.option(
    "--lock-cards/--no-lock-cards", default=True, show_default=True,
    help="Refuse to update a card while a click on it is being answered.",
)  # fmt: skip
def emulator(retry_after: tuple[float, ...], **given: object) -> None:
    """Run a Feishu open platform on this machine, with a chat page for people.

    Give the bot http://HOST:PORT as its open platform, open http://HOST:PORT/ in a browser, and
    talk to the bot. Every option can also be set as FEISHU_EMULATOR_<OPTION> in the
    environment.
    """
    options = Options(retry_after_s=retry_after, **given)  # type: ignore[arg-type]
    with listen(options.host, options.port) as listener:
        port = listener.getsockname()[1]
        created = create_emulator(replace(options, port=port))
        click.echo(f"Feishu emulator: http://{options.host}:{port}/")
        for chat in created.world.chats.values():
            click.echo(f"  {chat.chat_type:5} {chat.chat_id}  {chat.name}")
        for person in created.world.humans:
            click.echo(f"  person {person.open_id}  {person.name}  {person.role}".rstrip())
        # Ctrl-C has stopped the server in order by the time it is raised again.
        with suppress(KeyboardInterrupt):
            Server(created).run([listener])
