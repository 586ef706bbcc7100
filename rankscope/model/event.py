"""The inbound event `rankscope.event/1`; every adapter turns its source into it."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Literal

import msgspec

EVENT_SCHEMA = "rankscope.event/1"
MOST_STEPS = 500

JobId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$(?!\n)")]
WorldSize = Annotated[int, msgspec.Meta(ge=1, le=1 << 20)]
Severity = Literal["info", "warning", "critical"]
ShortText = Annotated[str, msgspec.Meta(max_length=4000)]


@dataclass(frozen=True, slots=True, kw_only=True)
class EventJob:
    """What the sender knows about the job."""

    id: JobId
    name: ShortText = ""
    owner: ShortText = ""
    url: ShortText = ""
    framework: ShortText = ""
    world_size: WorldSize | None = None
    image: ShortText = ""
    command: ShortText = ""
    output_path: ShortText = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventNode:
    """A node of the job; endpoint is its agent's base URL, empty when only the name is known."""

    node: str
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLog:
    """A piece of one worker's log; first_line is the number of its first line in the whole log.

    Where first_line is 0 the sender does not say, and the piece is taken for an excerpt.
    """

    worker: str
    text: str
    first_line: Annotated[int, msgspec.Meta(ge=0)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStep:
    """The time of one training step, or of the last of several that a line stands for."""

    step: Annotated[int, msgspec.Meta(ge=0)]
    ms: Annotated[float, msgspec.Meta(ge=0)]
    marks: tuple[ShortText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened to a job; the same id twice is one event."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    type: Annotated[str, msgspec.Meta(pattern=r"^[a-z]+\.[a-z_]+$(?!\n)")]
    job: EventJob
    source: str = "rankscope"
    schema: str = EVENT_SCHEMA
    state: str = ""
    severity: Severity = "info"
    time: datetime | None = None
    attempt: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0
    message: ShortText = ""
    labels: dict[str, str] = field(default_factory=dict)
    logs: tuple[EventLog, ...] = ()
    nodes: tuple[EventNode, ...] = ()
    steps: Annotated[tuple[EventStep, ...], msgspec.Meta(max_length=MOST_STEPS)] = ()
