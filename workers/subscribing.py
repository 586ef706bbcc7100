"""/subscribe: a chat asks to hear about jobs' incidents, or not to any more."""

from rankscope.chat import commands, jobs, replies
from rankscope.chat.wording import listed, plain, same, told
from rankscope.incidents.subscriptions import (
    MOST,
    Subscription,
    subscribe,
    subscriptions,
    unsubscribe,
)
from rankscope.model.chat import ChatMessage
from rankscope.model.text import Text
from rankscope.text import say
from workers.context import Context

WILD = "*?"


def change(context: Context, message: ChatMessage, command: commands.Subscribe) -> Text:
    """Subscribe or unsubscribe a chat, and say so."""
    if command.is_off:
        return _end(context, message.chat_id, command.pattern)
    pattern = command.pattern
    if not any(letter in pattern for letter in WILD):
        known = context.state.job_ids()
        match jobs.resolve_job(pattern, known):
            case jobs.Found(job_id):
                pattern = job_id
            case jobs.Ambiguous(matches):
                return _several(pattern, matches)
            case _:
                pass  # It may be the name of a job, or a job that is yet to come.
    if not subscribe(context.state, Subscription(message.chat_id, pattern)):
        return say("chat-subscribe-full", most=MOST)
    return say("chat-subscribed", pattern=plain(pattern, 130))


def _several(pattern: str, matches: tuple[str, ...]) -> Text:
    ambiguous = replies.ambiguous_job(pattern, matches)
    hint = say("chat-subscribe-all", pattern=plain(f"{pattern}*", 130))
    return Text(f"{ambiguous.zh}\n{hint.zh}", f"{ambiguous.en}\n{hint.en}")


def _end(context: Context, chat_id: str, pattern: str) -> Text:
    known = subscriptions(context.state, chat_id)
    ended = [one for one in known if not pattern or one.pattern == pattern]
    ended = ended or [one for one in known if one.pattern.startswith(pattern)]
    if not ended or (pattern and len(ended) > 1):
        return told("chat-not-subscribed", known=listed([one.pattern for one in known]))
    for one in ended:
        unsubscribe(context.state, one)
    return told("chat-unsubscribed", patterns=listed([one.pattern for one in ended]))


def show(context: Context, chat_id: str) -> Text:
    """List what a chat is told of."""
    known = [one.pattern for one in subscriptions(context.state, chat_id)]
    if not known:
        return say("chat-subscriptions-none")
    return told("chat-subscriptions", count=same(len(known)), patterns=listed(known))
