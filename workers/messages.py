"""A message to the bot: understand it, do what it asks for, and answer."""

import structlog

from rankscope.chat import commands, parsing, replies
from rankscope.errors import FeishuError
from rankscope.incidents.language import language_in
from rankscope.incidents.outbox import reply_to_message
from rankscope.model.chat import ChatMessage
from rankscope.model.text import Text
from workers.acts import perform
from workers.context import Context
from workers.lookups import look_up
from workers.people import learn_name

SEEN = "Get"
"""The reaction that says: read, being worked on."""

_log = structlog.get_logger()


def handle_message(context: Context, message: ChatMessage) -> None:
    """Answer a message; the reaction under it comes first, since an answer may take a moment."""
    _react(context, message)
    text = answer(context, message)
    # Read afterwards: the message may have chosen another language.
    language = language_in(context.state, message.chat_id, context.settings.language)
    reply_to_message(context.state, message.message_id, "", text, language)
    learn_name(context, message.sender)


def _react(context: Context, message: ChatMessage) -> None:
    """Show that the message was read; without the reaction nothing is lost."""
    try:
        context.feishu.react(message.message_id, SEEN)
    except FeishuError as error:
        _log.info("no reaction", error=str(error))


def answer(context: Context, message: ChatMessage) -> Text:
    """Do what a message asks for and return the answer to it."""
    command = parsing.parse(message.text)
    if isinstance(command, commands.Misunderstood):
        return _misunderstood(context, command)
    if isinstance(command, commands.Act):
        return perform(context, message, command)
    return look_up(context, command)


def _misunderstood(context: Context, command: commands.Misunderstood) -> Text:
    match command:
        case commands.Unknown(word, suggestion):
            return replies.unknown_command(word, suggestion)
        case commands.MissingArgument(name, is_job):
            return replies.missing_argument(name, context.state.job_ids() if is_job else None)
        case commands.TooManyArguments(name, extra):
            return replies.too_many_arguments(name, extra)
        case commands.BadArgument(name, word):
            return replies.bad_argument(name, word)
