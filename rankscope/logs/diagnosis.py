"""From what is known of a job to its diagnosis: stage, first error, what to look at; pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from rankscope.logs.first_error import Answer, Error, first_error_of_texts
from rankscope.logs.triage import JobFacts, hidden_failure_risks, is_hidden_failure, triage
from rankscope.model.diagnosis import Diagnosis, LogError
from rankscope.model.text import Text
from rankscope.text import say

_SUFFIXES = frozenset({".log", ".out", ".err", ".txt", ".jsonl"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a log; first_line counts from 1, and is 0 where nobody said where it begins."""

    name: str
    text: str
    first_line: int = 0


def diagnose(
    facts: JobFacts, pieces: Sequence[Piece], processes: Sequence[Mapping[str, str]] = ()
) -> Diagnosis:
    """Return what a state event means; processes are the environments of the job's trainers.

    Without pieces of logs it has a stage, and an error only where the event's own words name one.
    """
    told = [] if pieces else _told(facts)
    answer = _answer(pieces or told)
    found = triage(facts, answer if pieces else None, processes)
    starts = {one.name: one.first_line for one in pieces}
    risks = hidden_failure_risks(facts.command)
    hidden = answer is not None and is_hidden_failure(answer, facts.state, risks)
    diagnosis = Diagnosis(
        event=facts.event,
        stage=found.stage.value,
        title=found.title,
        first_check=found.first_check,
        steps=found.steps,
        findings=found.findings,
        logs=tuple(_names(starts)),
        detail=facts.detail,
    )
    if answer is None or (told and not answer.certain):
        return diagnosis
    return replace(
        diagnosis,
        first=_shown(answer.first_error, starts),
        second=_shown(answer.second, starts),
        certain=answer.certain,
        notes=tuple(_notes(answer, pieces)),
        consequences=answer.consequence_count,
        hidden=hidden,
    )


def _names(names: Collection[str]) -> Iterator[str]:
    """Yield the names of logs; an event names the log `train.log` by its worker, `train`."""
    paths = [PurePath(name) for name in names]
    workers = {str(one.with_suffix("")) for one in paths if one.suffix in _SUFFIXES}
    return (name for name in names if name not in workers)


def _told(facts: JobFacts) -> list[Piece]:
    """Return the event's own words as if they were a log, such as the reason `OOMKilled`."""
    known = facts.detail in facts.message
    text = (facts.message if known else f"{facts.message}: {facts.detail}").strip(": ")
    return [Piece("", text, 1)] if text else []


def _answer(pieces: Sequence[Piece]) -> Answer | None:
    return first_error_of_texts({one.name: one.text for one in pieces}) if pieces else None


def _shown(error: Error | None, starts: dict[str, int]) -> LogError | None:
    if error is None:
        return None
    before = max(0, starts.get(error.file, 0) - 1)
    return LogError(
        file=error.file,
        line=error.line + before,
        text=error.text,
        layer=error.layer.value,
        rank=error.rank,
        worker=error.worker,
        where=error.where,
        ranks=error.ranks,
        rule=error.rule,
        advice=error.advice,
    )


def _notes(answer: Answer, pieces: Sequence[Piece]) -> Iterator[Text]:
    yield from answer.notes
    if any(one.first_line != 1 for one in pieces):
        yield say("errors-note-excerpt")
