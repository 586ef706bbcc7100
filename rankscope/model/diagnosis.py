"""What a job's state event means: its stage and the first error of its logs, ready for a card."""

from dataclasses import dataclass

from rankscope.model.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class LogError:
    """A line of a log that failed, or may have; layer is empty when the line does not tell.

    line counts from 1 in the log named `file`, as far as the sender said where its piece begins.
    """

    file: str
    line: int
    text: str
    advice: Text
    layer: str = ""
    rank: int | None = None
    worker: str = ""
    where: str = ""
    ranks: int = 1
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The stage of a job and, where a log is known, its first error.

    event is the type of the event that led to it, as `job.failed`. logs names the logs that were
    read; when it is empty an error can only come from the event's own words, and its file is empty.
    detail is the reason that the event gave. certain is False when only a symptom, a clue
    or a launcher's summary was found. hidden says that the job looks successful and its log has an
    error that the training did not survive.
    """

    event: str
    stage: str
    title: Text
    first_check: Text
    steps: tuple[Text, ...] = ()
    findings: tuple[Text, ...] = ()
    logs: tuple[str, ...] = ()
    detail: str = ""
    first: LogError | None = None
    second: LogError | None = None
    certain: bool = False
    notes: tuple[Text, ...] = ()
    consequences: int = 0
    hidden: bool = False
