"""What an event tells beside what happened: other signs of life, the verdict, errors, log ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankscope.logs.first_error import Answer
from rankscope.logs.progress import Happening, Kind
from rankscope.logs.triage.no_progress import judge_progress
from rankscope.model.event import EventLog
from rankscope.model.text import Text
from rankscope.text import say
from rankscope.watching.announce import describe
from rankscope.watching.signs import Signs, Watched
from rankscope.watching.sources import Source
from rankscope.watching.tails import find_error, tails_of

_OF_SILENCE = frozenset({Kind.HANG, Kind.LOG_SILENT})


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What goes into an event."""

    message: Text
    labels: Mapping[str, str] = field(default_factory=dict)
    logs: tuple[EventLog, ...] = ()
    has_error: bool = False


def facts_of(happening: Happening | None, sources: Sequence[Source], watched: Watched) -> Facts:
    """Collect the facts of a happening, or whether the logs end in an error when there is none."""
    if happening is None:
        return Facts(message=Text("", ""), has_error=find_error(sources).certain)
    if happening.kind in _OF_SILENCE:
        return _of_silence(happening, sources, watched.look())
    if happening.kind is Kind.FAILED:
        return _of_failure(happening, sources)
    return Facts(message=describe(happening))


def _of_silence(happening: Happening, sources: Sequence[Source], signs: Signs) -> Facts:
    writing = happening.kind is Kind.LOG_SILENT
    checkpoints = None if signs.checkpoint_time is None else writing
    judged = judge_progress(False, signs.metrics, checkpoints)
    parts = [describe(happening), judged.verdict, judged.next_step]
    answer = find_error(sources)
    labels = {
        "verdict": judged.name,
        "log": "silent",
        "metrics": _word(signs.metrics, "used", "unused"),
        "checkpoints": _word(checkpoints, "changing", "still"),
        "silent_s": f"{happening.silent_s:.0f}",
        "limit_s": f"{happening.limit_s:.0f}",
    }
    if signs.gpu_percent is not None:
        labels["gpu_percent"] = str(signs.gpu_percent)
    if signs.cores is not None:
        labels["cpu_cores"] = f"{signs.cores:.2f}"
    if answer.certain and answer.first_error:
        parts.append(_told("watch-last-error", answer))
        labels["error"] = answer.first_error.rule
    return Facts(message=_joined(parts), labels=labels)


def _of_failure(happening: Happening, sources: Sequence[Source]) -> Facts:
    answer = find_error(sources)
    error = answer.first_error
    if error is None:
        return Facts(message=describe(happening), logs=tails_of(sources, _few(sources)))
    labels = {"error": error.rule, "layer": error.layer.value}
    return Facts(
        message=_joined([describe(happening), _told("watch-first-error", answer)]),
        labels={name: value for name, value in labels.items() if value},
        logs=tails_of(sources, {error.file}),
    )


def _few(sources: Sequence[Source]) -> list[str]:
    return [one.worker for one in sources[:4]]


def _told(message_id: str, answer: Answer) -> Text:
    error = answer.first_error
    if error is None:
        return Text("", "")
    rank = "" if error.rank is None else f", rank {error.rank}"
    return say(message_id, text=error.text, where=f"{error.file}{rank}")


def _word(value: bool | None, yes: str, no: str) -> str:
    return "unknown" if value is None else yes if value else no


def _joined(parts: Sequence[Text]) -> Text:
    return Text("".join(one.zh for one in parts), " ".join(one.en for one in parts))
