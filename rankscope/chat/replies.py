"""Every sentence the bot says in the chat besides its cards, in both languages.

Replies to commands: `help_text`, `missing_argument`, `too_many_arguments`, `unknown_command`,
`unknown_job`, `ambiguous_job`, `not_running`, `no_agent`, `capture_started`, `capture_joined`.
Replies when work is done: `capture_finished`, `capture_failed`, `comparison_finished`,
`comparison_failed`. Toasts, the short answers to a click, are in rankscope.chat.toasts.

Whatever comes from people, jobs or nodes passes through `plain`, so that it cannot mention anybody.
"""

import math
from collections.abc import Iterable, Sequence

from rankscope.model.report import Comparison, Report, Suspect
from rankscope.model.state import Job, JobState
from rankscope.model.text import Language, Text
from rankscope.text import say

SHOWN_JOBS = 10
SHOWN_SUSPECTS = 3
SHOWN_LETTERS = 300

_WIDE = str.maketrans({"<": "＜", ">": "＞", "@": "＠"})


def plain(words: str, limit: int = SHOWN_LETTERS) -> str:
    """Return foreign text on one line, short, and without the tags Feishu would act upon."""
    line = " ".join(words.split()).translate(_WIDE)
    return line if len(line) <= limit else f"{line[:limit]}…"


def text_content(text: Text, language: Language) -> dict[str, object]:
    """Return the content of a Feishu text message."""
    return {"text": text.of(language)}


def help_text() -> Text:
    """Answer /help."""
    return say("chat-help")


def missing_argument(known: Sequence[str]) -> Text:
    """Answer /capture without a job id."""
    return _told("chat-usage-capture", known=_names(known) if known else Text("none", "none"))


def too_many_arguments(extra: str) -> Text:
    """Answer /capture with more than one word after it."""
    return say("chat-usage-capture-many", extra=plain(extra))


def unknown_command(word: str, suggestion: str = "") -> Text:
    """Answer a word that is no command; suggestion is a command's name without slash."""
    if suggestion:
        return say("chat-unknown-command-suggest", word=plain(word, 40), suggestion=suggestion)
    return say("chat-unknown-command", word=plain(word, 40))


def unknown_job(word: str, known: Sequence[str], nearest: str = "") -> Text:
    """Answer a job id that nobody has seen, and name those that exist."""
    shown = _same(plain(word, 80))
    if not known:
        return _told("chat-unknown-job-none", word=shown)
    if nearest:
        near = _same(plain(nearest, 130))
        return _told("chat-unknown-job-nearest", word=shown, nearest=near, known=_names(known))
    return _told("chat-unknown-job", word=shown, known=_names(known))


def ambiguous_job(word: str, matches: Sequence[str]) -> Text:
    """Answer a prefix that several jobs share."""
    return _told("chat-ambiguous-job", word=_same(plain(word, 80)), matches=_names(matches))


def not_running(job: Job) -> Text:
    """Refuse to capture a job that does not run, and say where to look instead."""
    state = say(f"chat-state-{job.state.value}")
    first = _told(f"chat-not-running-{_stage(job.state)}", job=_same(plain(job.id)), state=state)
    return _lines([first, *_whereabouts(job)])


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
    job = _same(plain(report.summary.job_id))
    if report.suspects:
        lines = [_told("chat-finished-suspects", job=job), *_suspects(report.suspects)]
    else:
        lines = [_told("chat-finished-none", job=job, verdict=_plain_text(report.verdict.text))]
    if report.missing:
        lines.append(say("chat-finished-missing", count=len(report.missing)))
    return _lines(lines)


def _suspects(suspects: Sequence[Suspect]) -> Iterable[Text]:
    for suspect in suspects[:SHOWN_SUSPECTS]:
        reason = _plain_text(suspect.reasons[0])
        node = _same(plain(suspect.node))
        yield _told("chat-suspect", rank=_same(str(suspect.rank)), node=node, reason=reason)
    if len(suspects) > SHOWN_SUSPECTS:
        yield say("chat-suspects-more", count=len(suspects) - SHOWN_SUSPECTS)


def capture_failed(job_id: str, reason: str) -> Text:
    """Announce that a capture failed, and why."""
    said = say("chat-capture-failed", job=plain(job_id), reason=plain(reason))
    return _lines([said, say("chat-capture-failed-next")])


def flapping(job_id: str, times: int) -> Text:
    """Announce that a job is in trouble again soon after it had resumed."""
    return say("chat-flapping", job=plain(job_id), times=times)


def too_soon(job_id: str, wait_s: float) -> Text:
    """Refuse a capture that comes too soon after the last one."""
    return say("chat-too-soon", job=plain(job_id), seconds=math.ceil(wait_s))


def comparison_finished(comparison: Comparison) -> Text:
    """Announce a comparison."""
    job = _same(plain(comparison.job_id))
    return _told("chat-compare-finished", job=job, text=_plain_text(comparison.text))


def comparison_failed(job_id: str, reason: str) -> Text:
    """Announce that a comparison could not be made, and why."""
    return say("chat-compare-failed", job=plain(job_id), reason=plain(reason))


def _same(words: str) -> Text:
    return Text(words, words)


def _plain_text(text: Text) -> Text:
    return Text(plain(text.zh), plain(text.en))


def _told(message_id: str, **parameters: Text) -> Text:
    """Say a sentence whose parameters are themselves in both languages."""
    zh = {name: text.zh for name, text in parameters.items()}
    en = {name: text.en for name, text in parameters.items()}
    return Text(say(message_id, **zh).zh, say(message_id, **en).en)


def _names(names: Sequence[str]) -> Text:
    shown = [plain(name, 130) for name in names[:SHOWN_JOBS]]
    separator = say("chat-separator")
    joined = Text(separator.zh.join(shown), separator.en.join(shown))
    if len(names) <= SHOWN_JOBS:
        return joined
    return _told("chat-list-more", names=joined, count=_same(str(len(names))))


def _lines(texts: Iterable[Text]) -> Text:
    lines = list(texts)
    return Text("\n".join(line.zh for line in lines), "\n".join(line.en for line in lines))
