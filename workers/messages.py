"""A message to the bot: understand it, start what it asks for, and answer."""

from collections.abc import Sequence

import structlog

from rankscope.chat import commands, jobs, replies
from rankscope.errors import FeishuError
from rankscope.incidents import (
    Ask,
    Joined,
    NoNodes,
    NotRunning,
    Outcome,
    Started,
    TooSoon,
    request_capture,
)
from rankscope.incidents.outbox import reply_to_message
from rankscope.model.capture import Trigger
from rankscope.model.chat import ChatMessage
from rankscope.model.text import Text
from workers.context import Context

SEEN = "Get"
"""The reaction that says: read, being worked on."""

_log = structlog.get_logger()


def handle_message(context: Context, message: ChatMessage) -> None:
    """Answer a message; the reaction under it comes first, since an answer may take a moment."""
    _react(context, message)
    text = answer(context, message)
    reply_to_message(context.state, message.message_id, "", text, context.settings.language)


def _react(context: Context, message: ChatMessage) -> None:
    """Show that the message was read; without the reaction nothing is lost."""
    try:
        context.feishu.react(message.message_id, SEEN)
    except FeishuError as error:
        _log.info("no reaction", error=str(error))


def answer(context: Context, message: ChatMessage) -> Text:
    """Do what a message asks for and return the answer to it."""
    known = context.state.job_ids()
    match commands.parse(message.text):
        case commands.Help():
            return replies.help_text()
        case commands.Unknown(word, suggestion):
            return replies.unknown_command(word, suggestion)
        case commands.MissingArgument():
            return replies.missing_argument(known)
        case commands.TooManyArguments(_, extra):
            return replies.too_many_arguments(extra)
        case commands.Capture(word):
            return _capture(context, message, word, known)


def _capture(context: Context, message: ChatMessage, word: str, known: Sequence[str]) -> Text:
    match jobs.resolve_job(word, known):
        case jobs.Ambiguous(matches):
            return replies.ambiguous_job(word, matches)
        case jobs.NoSuchJob(nearest):
            return replies.unknown_job(word, known, nearest)
        case jobs.Found(job_id):
            ask = Ask(
                job_id=job_id,
                trigger=Trigger.MANUAL,
                request_id=f"message-{message.message_id}",
                chat_id=message.chat_id,
                by=message.sender,
                action="capture",
                message_id=message.message_id,
            )
            return outcome_text(request_capture(context.state, ask), job_id)


def outcome_text(outcome: Outcome, job_id: str) -> Text:
    """Return what to say about a request for a capture."""
    match outcome:
        case Started():
            return replies.capture_started(job_id)
        case Joined(_, done, asked):
            return replies.capture_joined(job_id, done, asked)
        case NotRunning(job):
            return replies.not_running(job)
        case NoNodes():
            return replies.no_agent(job_id)
        case TooSoon(_, wait_s):
            return replies.too_soon(job_id, wait_s)
        case _:
            return replies.unknown_job(job_id, ())
