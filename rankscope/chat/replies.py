"""Every sentence the bot says in the chat besides its cards, in both languages.

What look-ups show is in rankscope.chat.answers, toasts in rankscope.chat.toasts.

Whatever comes from people, jobs or nodes passes through `plain`, so that it cannot mention anybody.
"""

import math
from collections.abc import Iterable, Sequence

from rankscope.chat.parsing import COMMANDS
from rankscope.chat.wording import lines, listed, plain, plain_text, same, told
from rankscope.model.report import Comparison, Report, Suspect
from rankscope.model.state import Job, JobState
from rankscope.model.text import Language, Text
from rankscope.text import say

SHOWN_SUSPECTS = 3


def text_content(text: Text, language: Language) -> dict[str, object]:
    """Return the content of a Feishu text message."""
    return {"text": text.of(language)}


def help_text() -> Text:
    """Answer /help."""
    usages = (say(f"chat-line-{name}") for name in COMMANDS)
    return lines([say("chat-help"), same(""), *usages, same(""), say("chat-help-notes")])


def missing_argument(command: str, known: Sequence[str] | None) -> Text:
    """Answer a command that lacks a word; name the jobs there are where it lacks one, else None."""
    if known is None:
        return told("chat-usage-word", line=say(f"chat-line-{command}"))
    jobs = listed(known) if known else same("none")
    return told("chat-usage-missing", line=say(f"chat-line-{command}"), known=jobs)


def too_many_arguments(command: str, extra: str) -> Text:
    """Answer a command with more words than it takes."""
    line = say(f"chat-line-{command}")
    return told("chat-usage-many", extra=same(plain(extra)), line=line)


def bad_argument(command: str, word: str) -> Text:
    """Answer a command with a word that means nothing there."""
    return told("chat-usage-bad", word=same(plain(word, 80)), line=say(f"chat-line-{command}"))


def refused(act: str) -> Text:
    """Refuse an action to somebody who is neither an operator nor the job's owner."""
    return told("chat-refused", what=say(f"chat-act-{act}"))


def refused_in_chat(act: str) -> Text:
    """Refuse somebody who is no operator what concerns a group; it has no owner who might."""
    return told("chat-refused-chat", what=say(f"chat-act-{act}"))


def unknown_command(word: str, suggestion: str = "") -> Text:
    """Answer a word that is no command; suggestion is a command's name without slash."""
    if suggestion:
        return say("chat-unknown-command-suggest", word=plain(word, 40), suggestion=suggestion)
    return say("chat-unknown-command", word=plain(word, 40))


def unknown_menu(key: str) -> Text:
    """Answer an item of the bot's menu whose key is no command that needs no more words."""
    return say("chat-unknown-menu", key=plain(key, 40))


def unknown_job(word: str, known: Sequence[str], nearest: str = "") -> Text:
    """Answer a job id that nobody has seen, and name those that exist."""
    shown = same(plain(word, 80))
    if not known:
        return told("chat-unknown-job-none", word=shown)
    if nearest:
        near = same(plain(nearest, 130))
        return told("chat-unknown-job-nearest", word=shown, nearest=near, known=listed(known))
    return told("chat-unknown-job", word=shown, known=listed(known))


def ambiguous_job(word: str, matches: Sequence[str]) -> Text:
    """Answer a prefix that several jobs share."""
    return told("chat-ambiguous-job", word=same(plain(word, 80)), matches=listed(matches))


def not_running(job: Job) -> Text:
    """Refuse to capture a job that does not run, and say where to look instead."""
    state = say(f"chat-state-{job.state.value}")
    first = told(f"chat-not-running-{_stage(job.state)}", job=same(plain(job.id)), state=state)
    return lines([first, *_whereabouts(job)])


def _stage(state: JobState) -> str:
    if state is JobState.FAILED:
        return "failed"
    return "before" if state in {JobState.QUEUED, JobState.DEPLOYING} else "over"


def _whereabouts(job: Job) -> Iterable[Text]:
    if job.message:
        yield say("chat-not-running-message", message=plain(job.message))
    if job.url:
        yield say("chat-not-running-url", url=plain(job.url))
    if job.output_path:
        yield say("chat-not-running-output", path=plain(job.output_path))


def no_agent(job_id: str) -> Text:
    """Answer that no agent sees the job, and what to check."""
    return say("chat-no-agent", job=plain(job_id))


def no_such_ranks(job_id: str, wanted: Sequence[int], world_size: int) -> Text:
    """Refuse to capture native frames of ranks that the job does not have."""
    ranks = ", ".join(str(rank) for rank in wanted)
    return say("chat-no-such-ranks", job=plain(job_id), ranks=ranks, last=world_size - 1)


def capture_started(job_id: str) -> Text:
    """Confirm that a capture was started."""
    return say("chat-capture-started", job=plain(job_id))


def capture_joined(job_id: str, done: int = 0, asked: int = 0) -> Text:
    """Answer that a capture is under way: done of asked nodes, asked being 0 before it starts."""
    if not asked:
        return say("chat-capture-joined-starting", job=plain(job_id))
    return say("chat-capture-joined", job=plain(job_id), done=done, asked=asked)


def capture_finished(report: Report) -> Text:
    """Announce a report: the first suspects with their first reason, or that nobody is named."""
    job = same(plain(report.summary.job_id))
    if report.suspects:
        said = [told("chat-finished-suspects", job=job), *_suspects(report.suspects)]
    else:
        said = [told("chat-finished-none", job=job, verdict=plain_text(report.verdict.text))]
    if report.missing:
        said.append(say("chat-finished-missing", count=len(report.missing)))
    return lines(said)


def _suspects(suspects: Sequence[Suspect]) -> Iterable[Text]:
    for suspect in suspects[:SHOWN_SUSPECTS]:
        reason = plain_text(suspect.reasons[0])
        node = same(plain(suspect.node))
        yield told("chat-suspect", rank=same(str(suspect.rank)), node=node, reason=reason)
    if len(suspects) > SHOWN_SUSPECTS:
        yield say("chat-suspects-more", count=len(suspects) - SHOWN_SUSPECTS)


def capture_failed(job_id: str, reason: str) -> Text:
    """Announce that a capture failed, and why."""
    said = say("chat-capture-failed", job=plain(job_id), reason=plain(reason))
    return lines([said, say("chat-capture-failed-next")])


def flapping(job_id: str, times: int) -> Text:
    """Announce that a job is in trouble again soon after it had resumed."""
    return say("chat-flapping", job=plain(job_id), times=times)


def too_soon(job_id: str, wait_s: float) -> Text:
    """Refuse a capture that comes too soon after the last one."""
    return say("chat-too-soon", job=plain(job_id), seconds=math.ceil(wait_s))


def comparison_finished(comparison: Comparison) -> Text:
    """Announce a comparison."""
    job = same(plain(comparison.job_id))
    return told("chat-compare-finished", job=job, text=plain_text(comparison.text))


def comparison_failed(job_id: str, reason: str) -> Text:
    """Announce that a comparison could not be made, and why."""
    return say("chat-compare-failed", job=plain(job_id), reason=plain(reason))
