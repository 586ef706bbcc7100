"""What Redis remembers: jobs, agents, captures, incidents and messages. All are kept 30 days."""

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import msgspec

from rankscope.model.capture import Trigger
from rankscope.model.diagnosis import Diagnosis
from rankscope.model.event import Severity, WorldSize
from rankscope.model.slowness import Slowness
from rankscope.model.text import Language, Text

Rank = Annotated[int, msgspec.Meta(ge=0, lt=1 << 24)]


class JobState(StrEnum):
    """Where a job is in its life, as far as its events and agents tell."""

    UNKNOWN = "unknown"
    QUEUED = "queued"
    DEPLOYING = "deploying"
    RUNNING = "running"
    HANG = "hang"
    SLOW = "slow"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    STOPPED = "stopped"

    @property
    def can_be_captured(self) -> bool:
        """Whether processes are there to be dumped; an unknown state is worth a try."""
        return self in CAPTURABLE


CAPTURABLE = frozenset({JobState.UNKNOWN, JobState.RUNNING, JobState.HANG, JobState.SLOW})


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A training job as its events describe it; times are seconds since the epoch."""

    id: str
    name: str = ""
    owner: str = ""
    url: str = ""
    framework: str = ""
    world_size: int | None = None
    output_path: str = ""
    image: str = ""
    command: str = ""
    severity: Severity = "info"  # of its last event
    labels: dict[str, str] = field(default_factory=dict)  # of all its events, for routes
    state: JobState = JobState.UNKNOWN
    attempt: int = 0
    event_time: float = 0.0
    event_source: str = ""  # who sent the newest event that told a state
    recovered_at: float = 0.0  # time of the newest event that ended a hang or a slow-down
    run: int = 0  # counts how often the job began anew
    spot: bool = False  # whether it runs on resources that can be taken away
    message: str = ""
    # Whether an event of this attempt told of a training step.
    has_progressed: bool = False
    # Endpoints by node name, from events; agents add theirs by heartbeat.
    nodes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentJob:
    """A job an agent sees on its node."""

    job_id: str
    ranks: Annotated[tuple[Rank, ...], msgspec.Meta(max_length=1 << 12)] = ()
    world_size: WorldSize | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentBeat:
    """One heartbeat, the body of POST /agents/heartbeat: who the agent is and what it sees."""

    node: str
    endpoint: str
    version: Annotated[str, msgspec.Meta(max_length=100)]
    jobs: Annotated[tuple[AgentJob, ...], msgspec.Meta(max_length=1 << 12)] = ()


class CaptureState(StrEnum):
    """How far a capture has come."""

    REQUESTED = "requested"
    RUNNING = "running"
    CAPTURED = "captured"
    REPORTED = "reported"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRecord:
    """One capture's progress and outcome; the capture itself lies in the capture store."""

    id: str  # the print_id
    job_id: str
    incident_id: str
    trigger: Trigger
    requested_at: float
    requested_by: str = ""  # open_id of the person, or "" for an event
    answer_to: str = ""  # id of a command's message when it came from another chat than the card's
    state: CaptureState = CaptureState.REQUESTED
    nodes_asked: int = 0
    nodes_done: int = 0
    error: str = ""
    samples: int = 0  # 0: as the settings say
    native: tuple[int, ...] = ()  # ranks whose native frames are wanted too
    compare_with: str = ""  # the earlier capture to compare with when this one is reported
    picture: str = ""  # Feishu's key of the picture of all ranks


class IncidentState(StrEnum):
    """Where an incident is; the three last are final."""

    OPEN = "open"  # an alert for which nobody has asked for a capture yet
    CAPTURING = "capturing"
    REPORTED = "reported"
    FAILED = "failed"  # the capture failed; a new one may be tried
    RESUMED = "resumed"
    ENDED = "ended"  # the job ended
    CLOSED = "closed"

    @property
    def is_final(self) -> bool:
        """Whether the incident's buttons are retired."""
        return self in {IncidentState.RESUMED, IncidentState.ENDED, IncidentState.CLOSED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """One hang, slow-down or manual look at a job, with its one card.

    revision counts the states a person has seen on the card; every button carries it, so that a
    click on an outdated card is recognised. captures are print_ids, oldest first. copies are the
    further chats with the same card, and languages what the routes file says of its chats.
    """

    id: str
    job_id: str
    kind: Trigger
    chat_id: str
    opened_at: float
    state: IncidentState = IncidentState.CAPTURING
    revision: int = 1
    captures: tuple[str, ...] = ()
    message: str = ""
    last_actor: str = ""  # open_id of who pressed or typed last
    last_action: str = ""  # "recapture", "compare", "capture", …; empty when an event acted
    last_at: float = 0.0  # when that was; 0 where it is not known
    acked_by: str = ""  # open_id of who takes care of it
    acked_at: float = 0.0
    flaps: int = 0  # how often the job was troubled again soon after it had resumed
    event: str = ""  # type of the state event that the card shows, as job.failed; "" for alerts
    diagnosis: Diagnosis | None = None
    slow: Slowness | None = None
    route: str = ""  # names of the routes that fitted
    copies: tuple[str, ...] = ()
    languages: dict[str, Language] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LogPiece:
    """The newest piece of one log; first_line counts from 1, 0 where it is not known."""

    name: str
    text: str
    first_line: int = 0
    at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLogs:
    """What events brought of a job's logs in its newest run; its id is the job's."""

    id: str
    run: int = 0
    pieces: tuple[LogPiece, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchNotes:
    """What contradicts itself in how a job's processes were started, by the last capture of a run.

    Its id is the job's.
    """

    id: str
    run: int = 0
    texts: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobNews:
    """Which cards show the states of a job's newest run; its id is the job's.

    shown has incident ids by type of event. last, message and detail are those of the newest one,
    so that a log which comes later can still be read for it.
    """

    id: str
    run: int = 0
    shown: dict[str, str] = field(default_factory=dict)
    last: str = ""
    message: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A job whose alerts stay unheard for a while; its id is the job's.

    until is in seconds since the epoch, 0 for as long as the job lives. muted counts the alerts
    that stayed unheard.
    """

    id: str
    until: float
    by: str
    at: float
    muted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatChoice:
    """What people chose for a chat; its id is the chat's."""

    id: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One action of a person; outcome is one word, such as `started` or `refused`.

    at is in seconds since the epoch, who an open_id.
    """

    who: str
    what: str
    job_id: str
    outcome: str
    chat_id: str = ""
    at: float = field(default_factory=time.time)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One message to Feishu: a card that is updated in place, or a reply sent once.

    Exactly one of incident_id (the card is rendered when sent) and content is given. wanted and
    sent count card updates; a message is done when they are equal. uuid is frozen, since Feishu
    collapses repeats of one uuid for an hour.
    """

    id: str
    uuid: str
    chat_id: str = ""
    incident_id: str = ""
    reply_to: str = ""  # id of the message, or of the Outgoing prefixed with "outgoing:"
    in_thread: bool = True
    msg_type: str = "text"
    content: dict[str, object] = field(default_factory=dict)
    fallback: str = ""  # plain text to send when Feishu refuses a card given as content
    message_id: str = ""
    is_simpler: bool = False  # Feishu refused the full card and shows a simpler one
    wanted: int = 1
    sent: int = 0
    attempts: int = 0
    first_attempt_at: float = 0.0
    error: str = ""
    troubled_at: float = 0.0  # since when there has been an error
