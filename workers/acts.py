"""Commands that do something: who may is checked first, and what came of it goes on record."""

from rankscope.chat import answers, commands, jobs, replies
from rankscope.chat.naming import resolve_capture
from rankscope.chat.roles import may_act
from rankscope.chat.wording import listed, plain, same, told
from rankscope.incidents import (
    Ask,
    Joined,
    NoNodes,
    NotRunning,
    Outcome,
    Started,
    TooSoon,
    end_silences,
    request_capture,
    silence_job,
    unsilence_job,
    world_size_of,
)
from rankscope.incidents.audit import note_deed
from rankscope.incidents.captures import reported_captures
from rankscope.incidents.language import choose_language
from rankscope.incidents.routes import routed
from rankscope.model.capture import Trigger
from rankscope.model.chat import ChatMessage
from rankscope.model.state import Deed, Job
from rankscope.model.text import Text
from rankscope.queueing import Task, submit
from rankscope.text import say
from workers import subscribing
from workers.context import Context

NO_JOB = "-"
"""Under this name the audit trail keeps what concerns a chat and no job."""

Done = tuple[str, Text]
"""The outcome for the audit trail, and the answer."""


def perform(context: Context, message: ChatMessage, command: commands.Act) -> Text:
    """Do what a command asks for and return the answer."""
    if isinstance(command, commands.ChooseLanguage):
        return _choose_language(context, message, command)
    if isinstance(command, commands.Subscribe):
        return _subscribe(context, message, command)
    found = find_job(context, command.job_id)
    if isinstance(found, Text):
        return found
    act = _act_of(command)
    if not _may(context, message, found):
        _note(context, message, act, found, "refused")
        return replies.refused(act)
    outcome, text = _do(context, message, command, found)
    _note(context, message, act, found, outcome)
    return text


def find_job(context: Context, word: str) -> str | Text:
    """Return the id of the job that a word means, or what to answer when there is no such job."""
    known = context.state.job_ids()
    match jobs.resolve_job(word, known):
        case jobs.Found(job_id):
            return job_id
        case jobs.Ambiguous(matches):
            return replies.ambiguous_job(word, matches)
        case jobs.NoSuchJob(nearest):
            return replies.unknown_job(word, known, nearest)


def _may(context: Context, message: ChatMessage, job_id: str) -> bool:
    job = context.state.find(Job, job_id)
    return may_act(context.settings, message.sender, message.chat_id, job.owner if job else "")


def _note(context: Context, message: ChatMessage, act: str, job_id: str, outcome: str) -> None:
    deed = Deed(
        who=message.sender, what=act, job_id=job_id, outcome=outcome, chat_id=message.chat_id
    )
    note_deed(context.state, deed, once=f"message-{message.message_id}")


def _act_of(command: commands.Capture | commands.Compare | commands.Silence) -> str:
    if isinstance(command, commands.Silence):
        return "unsilence" if command.seconds is None else "silence"
    return "capture" if isinstance(command, commands.Capture) else "compare"


def _do(
    context: Context,
    message: ChatMessage,
    command: commands.Capture | commands.Compare | commands.Silence,
    job_id: str,
) -> Done:
    match command:
        case commands.Capture():
            return _capture(context, message, command, job_id)
        case commands.Compare():
            return _compare(context, message, command, job_id)
        case commands.Silence():
            return silence(context, message.sender, job_id, command.seconds)


def _choose_language(
    context: Context, message: ChatMessage, command: commands.ChooseLanguage
) -> Text:
    """Change a chat's language; in a private chat everybody may."""
    in_private = message.chat_type == "p2p"
    if not in_private and not may_act(context.settings, message.sender, message.chat_id):
        _note(context, message, "lang", NO_JOB, "refused")
        return replies.refused_in_chat("lang")
    choose_language(context.state, message.chat_id, command.language)
    if in_private:  # Feishu names a person, and no chat, when an item of the menu is chosen.
        choose_language(context.state, message.sender, command.language)
    _note(context, message, "lang", NO_JOB, "done")
    return say("chat-language")


def _subscribe(context: Context, message: ChatMessage, command: commands.Subscribe) -> Text:
    """List or change what a chat is told of; in a private chat everybody may."""
    if not (command.pattern or command.is_off):
        return subscribing.show(context, message.chat_id)
    act = "unsubscribe" if command.is_off else "subscribe"
    in_private = message.chat_type == "p2p"
    if not in_private and not may_act(context.settings, message.sender, message.chat_id):
        _note(context, message, act, NO_JOB, "refused")
        return replies.refused_in_chat(act)
    text = subscribing.change(context, message, command)
    _note(context, message, act, NO_JOB, "done")
    return text


def _capture(
    context: Context, message: ChatMessage, command: commands.Capture, job_id: str
) -> Done:
    size = world_size_of(context.state, context.state.find(Job, job_id) or Job(id=job_id))
    unknown = [rank for rank in command.native if size is not None and rank >= size]
    if unknown and size is not None:
        return "not-possible", replies.no_such_ranks(job_id, unknown, size)
    ask = Ask(
        job_id=job_id,
        trigger=Trigger.MANUAL,
        request_id=f"message-{message.message_id}",
        chat_id=message.chat_id,
        by=message.sender,
        action="capture",
        message_id=message.message_id,
        samples=command.samples,
        native=command.native,
        cooldown_s=context.settings.recapture_cooldown_s,
    )
    outcome = request_capture(context.state, routed(context.state, ask, context.settings))
    return outcome_word(outcome), outcome_text(outcome, job_id)


def outcome_word(outcome: Outcome) -> str:
    """Return the word under which the audit trail keeps what came of a request."""
    words = {Started: "started", Joined: "joined", TooSoon: "too-soon"}
    return words.get(type(outcome), "not-possible")


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


def silence(context: Context, who: str, job_id: str, seconds: float | None) -> Done:
    """Mute a job's alerts, or let them be heard again."""
    name = same(plain(job_id))
    if seconds is not None:
        made = silence_job(context.state, job_id, who, seconds)
        return "done", told("chat-silenced", job=name, until=answers.until(made))
    if not unsilence_job(context.state, job_id, who):
        return "not-possible", told("chat-not-silenced", job=name)
    end_silences(context.state, context.settings)
    return "done", told("chat-unsilenced", job=name)


def _compare(
    context: Context, message: ChatMessage, command: commands.Compare, job_id: str
) -> Done:
    records = {record.id: record for record in reported_captures(context.state, job_id)}
    known = list(records)
    wanted = command.captures or tuple(known[-2:])
    found = [resolve_capture(word, known) for word in wanted]
    for word, print_id in zip(wanted, found, strict=True):
        if print_id is None:
            return "not-possible", _unknown_capture(context, word, known)
    pair = sorted({print_id for print_id in found if print_id})
    if len(pair) < 2:
        return "not-possible", _one_capture(job_id, known, is_same=len(wanted) == 2)
    before, after = pair
    unique_id = f"compare-message-{message.message_id}"
    incident_id = records[after].incident_id
    submit(
        context.redis, Task.COMPARE, incident_id, before, after, message.message_id,
        unique_id=unique_id,
    )  # fmt: skip
    job = plain(job_id)
    return "started", say("chat-comparing", job=job, before=before, after=after)


def _unknown_capture(context: Context, word: str, known: list[str]) -> Text:
    return told(
        "chat-unknown-capture",
        word=same(plain(word, 80)),
        days=same(context.settings.retention_days),
        known=listed(known[::-1]) if known else same("none"),
    )


def _one_capture(job_id: str, known: list[str], *, is_same: bool) -> Text:
    if is_same and len(known) > 1:
        return say("chat-compare-same")
    return say("chat-compare-one", job=plain(job_id), count=len(known))
