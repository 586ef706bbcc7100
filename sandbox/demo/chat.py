"""A person who reads along in the chat, presses buttons and types."""

import time
from collections.abc import Callable

import click

from rankscope.errors import RankscopeError
from sandbox.demo.card_text import Button, buttons, card_text
from sandbox.feishu.client import EmulatorClient
from sandbox.feishu.views import MessageView

POLL_S = 0.2
RECAPTURE, COMPARE = "recapture", "compare"


class TooLate(RankscopeError):
    """What the demo waited for did not happen before its deadline."""


class WentWrong(RankscopeError):
    """Something happened that the demo did not expect."""


def button(message: MessageView, action: str) -> Button | None:
    """Return the button of an action that can be pressed, if there is one."""
    found = (one for one in buttons(message.content) if one.action == action and not one.disabled)
    return next(found, None)


def print_id(message: MessageView) -> str:
    """Return the print id of the report a card links to, or an empty string."""
    return next((one.print_id for one in buttons(message.content) if one.print_id), "")


def is_incident(message: MessageView) -> bool:
    """Whether it is an incident's card, finished or not."""
    return any(one.action == RECAPTURE for one in buttons(message.content))


def is_settled(message: MessageView) -> bool:
    """Whether a person would read it now: not a card on which a capture is under way."""
    return not is_incident(message) or button(message, RECAPTURE) is not None


class Chat:
    """One group; what is said there is printed once, and cards again when they change."""

    def __init__(
        self, client: EmulatorClient, chat_id: str, end: float, look_after: Callable[[], None]
    ) -> None:
        self._client = client
        self._chat_id = chat_id
        self._end = end
        self._look_after = look_after
        chats = [chat for chat in client.chats() if chat.chat_id == chat_id]
        self._names = {who.open_id: who.name for chat in chats for who in chat.members}
        self._printed: dict[str, str] = {}

    def wait(self, what: str, fits: Callable[[MessageView], bool]) -> MessageView:
        """Return the first message that fits, as soon as there is one; raises TooLate."""
        while True:
            self._look_after()
            messages = self._client.messages(self._chat_id)
            self._print_news(messages)
            for message in messages:
                if fits(message):
                    return message
            if time.monotonic() > self._end:
                raise TooLate(f"Waited in vain for {what}.")
            time.sleep(POLL_S)

    def press(self, card: MessageView, action: str) -> None:
        """Press a button and print what the person sees at once; raises WentWrong."""
        found = button(card, action)
        if found is None:
            raise WentWrong(f"The button {action} cannot be pressed.")
        click.echo(f"\n>>> [{found.label}]")
        result = self._client.press(card.message_id, found.element_id or found.label)
        if result.error:
            raise WentWrong(f"Pressing {action} failed: {result.error.detail}")
        if result.toast:
            click.echo(f"    {result.toast.get('content', '')}")

    def say(self, text: str) -> MessageView:
        """Write to the bot."""
        click.echo(f"\n>>> {text}")
        return self._client.say(self._chat_id, text)

    def _print_news(self, messages: list[MessageView]) -> None:
        for message in messages:
            told = self._printed.get(message.message_id)
            if message.sender.is_bot and is_settled(message) and told != gist(message):
                self._printed[message.message_id] = gist(message)
                self._print(message, again=told is not None)

    def _print(self, message: MessageView, *, again: bool) -> None:
        arrow = "↻" if again else "↳" if message.parent_id else "●"
        text = card_text(message.content, self._names)
        click.echo(f"\n{arrow} {message.sender.name}")
        click.echo("\n".join(f"    {line}" for line in text.split("\n")))


def gist(message: MessageView) -> str:
    """Return what makes a message worth printing again: on an incident's card, title and report."""
    text = card_text(message.content)
    return f"{text.partition(chr(10))[0]} {print_id(message)}" if is_incident(message) else text
