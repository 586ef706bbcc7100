"""The answer to /errors: the first error in what is kept of a job's logs, and the stage; pure."""

from collections.abc import Iterator

from rankscope.cards.diagnosis import LAYERS
from rankscope.chat.wording import lines, listed, plain, plain_text, same, told
from rankscope.model.diagnosis import Diagnosis, LogError
from rankscope.model.state import Job
from rankscope.model.text import Text
from rankscope.text import say

TEXT_LETTERS = 400
WHERE_LETTERS = 160


def answer(job: Job, found: Diagnosis) -> Text:
    """Return the whole answer, the most important line first; what is missing is said."""
    return lines(_answer(job, found))


def _answer(job: Job, found: Diagnosis) -> Iterator[Text]:
    state = say(f"chat-state-{job.state.value}")
    yield told("chat-errors-title", job=same(plain(job.id, 130)), state=state)
    if found.first is not None:
        yield from _error("first" if found.certain else "unsure", found.first)
    elif found.logs:
        yield say("chat-errors-none")
    if found.second is not None:
        yield from _error("second", found.second)
    if found.first is not None and found.consequences:
        yield say("chat-errors-consequences", count=found.consequences)
    yield from (plain_text(note) for note in found.notes)
    if found.logs:
        yield told("chat-errors-logs", logs=listed(found.logs))
    else:
        yield say("chat-errors-no-log", job=plain(job.id, 130))
    yield same("")
    yield told("chat-errors-stage", title=plain_text(found.title))
    yield plain_text(found.first_check)
    yield from (_bullet(plain_text(text)) for text in (*found.findings, *found.steps))


def _error(heading: str, error: LogError) -> Iterator[Text]:
    in_log = same(f"{plain(error.file, 100)}:{error.line}")
    place = in_log if error.file else say("chat-errors-in-event")
    yield told(f"chat-errors-{heading}", place=place)
    yield same(f"    {plain(error.text, TEXT_LETTERS)}")
    layer = error.layer if error.layer in LAYERS else "none"
    where = plain(error.where, WHERE_LETTERS)
    nothing = same("")
    yield told(
        "chat-errors-facts",
        layer=say(f"errors-layer-{layer}"),
        rank=nothing if error.rank is None else say("chat-errors-rank", rank=error.rank),
        where=say("chat-errors-where", where=where) if where else nothing,
    )
    yield plain_text(error.advice)


def _bullet(text: Text) -> Text:
    return Text(f"- {text.zh}", f"- {text.en}")
