"""The stages of a job's life at which it may be stuck or fail, and what a triage says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from rankscope.model.event import Event
from rankscope.model.text import Text


class Stage(StrEnum):
    """Where to look first; the ten stages of the platform's troubleshooting guide.

    Deploying has four parts of its own. UNKNOWN is said when nothing tells.
    """

    SUBMIT = "submit"
    QUEUED = "queued"
    DEPLOYING = "deploying"
    DEPLOYING_RESOURCE = "deploying.resource"
    DEPLOYING_IMAGE = "deploying.image"
    DEPLOYING_STORAGE = "deploying.storage"
    DEPLOYING_INIT = "deploying.init"
    ENV_CHECK = "env_check"
    AFTER_CHECK = "after_check"
    START = "start"
    FIRST_BATCH = "first_batch"
    NO_PROGRESS = "no_progress"
    NO_OUTPUT = "no_output"
    RESTARTED = "restarted"
    UNKNOWN = "unknown"

    @property
    def message_id(self) -> str:
        """Return the start of the stage's ids in the catalogue."""
        return f"triage-{self.value.replace('.', '-').replace('_', '-')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """What is known about a job beside its logs; empty means unknown."""

    state: str = ""
    event: str = ""
    message: str = ""
    detail: str = ""
    command: str = ""
    output_path: str = ""
    attempt: int = 0
    spot: bool = False
    workers: int | None = None
    gpus_per_worker: int | None = None
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Triage:
    """A stage with what to look at first, what to do then, and what was noticed on the way.

    All texts are ready for a card; findings come from checks of this job, the rest from its stage.
    """

    stage: Stage
    title: Text
    first_check: Text
    steps: tuple[Text, ...]
    findings: tuple[Text, ...] = ()


def facts_of(event: Event) -> JobFacts:
    """Return what an inbound event says about its job."""
    labels = event.labels
    return JobFacts(
        state=event.state,
        event=event.type,
        message=event.message,
        detail=labels.get("reason", "") or labels.get("phase", ""),
        command=event.job.command,
        output_path=event.job.output_path,
        attempt=event.attempt,
        spot=labels.get("spot", "").lower() in {"true", "1", "yes"},
        workers=_whole(labels.get("workers", "")),
        gpus_per_worker=_whole(labels.get("gpus_per_worker", "")),
    )


def _whole(text: str) -> int | None:
    return int(text) if text.isdigit() else None
