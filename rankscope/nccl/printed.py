"""What `rankscope ras` prints for people."""

from collections.abc import Iterator, Sequence

from rankscope.model.text import Language, Text
from rankscope.nccl.model import JobSummary, RasAnswer
from rankscope.nccl.verdict import RasVerdict
from rankscope.text import say

UNKNOWN_SHOWN = 20
"""So many lines that were not understood are shown."""


def lines_of(
    answer: RasAnswer, verdict: RasVerdict, language: Language, *, compared: bool
) -> Iterator[str]:
    """Yield the lines for a terminal: how it went, what is seen, what not, and what next."""
    facts = {"outcome": answer.outcome, "version": answer.nccl_version or "?"}
    yield say("nccl-cli-outcome", **facts, format=answer.format or "?").of(language)
    if answer.job and answer.job.processes:
        yield _job(answer.job).of(language)
    if compared:
        yield say(f"nccl-cli-progress-{verdict.progress}").of(language)
    for title, texts in (
        ("nccl-cli-seen", verdict.seen),
        ("nccl-cli-not-meant", verdict.not_meant),
        ("nccl-cli-next", verdict.next_steps),
    ):
        yield from _section(say(title).of(language), texts, language)
    if answer.unknown_lines:
        yield ""
        yield say("nccl-cli-unknown-lines").of(language)
        yield from (f"  {_printable(line)}" for line in answer.unknown_lines[:UNKNOWN_SHOWN])


def _job(job: JobSummary) -> Text:
    message = "nccl-cli-job-derived" if job.derived else "nccl-cli-job"
    return say(message, nodes=job.nodes, processes=job.processes, gpus=job.gpus)


def _section(title: str, texts: Sequence[Text], language: Language) -> Iterator[str]:
    yield ""
    yield title
    yield from (f"  - {_printable(text.of(language))}" for text in texts)


def _printable(line: str) -> str:
    """Replace control characters, since a damaged answer must not move the cursor."""
    return "".join(char if char.isprintable() else "\ufffd" for char in line[:2000])
