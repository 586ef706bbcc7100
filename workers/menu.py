"""The bot's own menu in private chats: its items are answered like the commands they stand for.

Whoever makes the menu chooses the keys (docs/feishu-setup.md): a command that needs no more words,
with or without a slash, in any language that the commands have.
"""

from rankscope.chat import commands, parsing, replies
from rankscope.chat.wording import lines
from rankscope.incidents.language import language_in
from rankscope.incidents.outbox import send_once, uuid_of
from rankscope.model.chat import MenuChoice
from rankscope.model.state import Outgoing
from rankscope.model.text import Text
from workers.context import Context
from workers.lookups import look_up
from workers.people import learn_name

_LOOKS = commands.ListJobs | commands.ShowStatus | commands.Help


def handle_menu(context: Context, choice: MenuChoice) -> None:
    """Answer in the person's private chat with the bot, once for each choice."""
    language = language_in(context.state, choice.operator, context.settings.language)
    entry_id = f"menu:{choice.event_id}"
    answer = Outgoing(
        id=entry_id,
        uuid=uuid_of(entry_id),
        chat_id=choice.operator,
        content=replies.text_content(answer_to(context, choice.key), language),
    )
    send_once(context.state, answer)
    learn_name(context, choice.operator)


def answer_to(context: Context, key: str) -> Text:
    """Return what a key of the menu asks for, else what there is to ask for."""
    command = parsing.parse(key.replace("_", " "))
    if isinstance(command, _LOOKS):
        return look_up(context, command)
    return lines([replies.unknown_menu(key), replies.help_text()])
