"""A capture as collected: the typed view of `rankscope.capture/1` (docs/capture-format.md).

A large job has millions of threads and tasks. All are therefore structs of msgspec, which are made
ten times as fast as dataclasses; gc=False, since none can be part of a reference cycle.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from rankscope.model.threads import Frame, Task, Tasks, Thread, Threads

__all__ = [
    "CAPTURE_SCHEMA", "Capture", "CaptureHeader", "Frame", "NcclAnswer", "NcclOutcome",
    "NodeSample", "Process", "Role", "Task", "Tasks", "Thread", "Threads", "Trigger",
]  # fmt: skip
CAPTURE_SCHEMA = "rankscope.capture/1"


class Trigger(StrEnum):
    """Why a capture was taken."""

    HANG = "hang"
    SLOW = "slow"
    MANUAL = "manual"
    RECAPTURE = "recapture"
    FAILED = "failed"


class Role(StrEnum):
    """What a process does for its job; only trainers are compared with each other."""

    TRAINER = "trainer"
    DATALOADER = "dataloader"
    COMPILE = "compile"
    LAUNCHER = "launcher"
    HELPER = "helper"
    DEAD = "dead"


class Process(msgspec.Struct, frozen=True, gc=False):
    """One process of the job; `error` says why it has no threads."""

    pid: int
    ppid: int = 0
    rank: int | None = None
    local_rank: int | None = None
    role: Role = Role.HELPER
    state: str = ""
    wchan: str = ""
    cmdline: tuple[str, ...] = ()
    env: Mapping[str, str] = msgspec.field(default_factory=dict)
    python: str | None = None
    mode: str = ""
    error: str | None = None
    pause_ms: float | None = None
    tasks: tuple[Task, ...] | Tasks = ()
    threads: tuple[Thread, ...] | Threads = ()


class NodeSample(msgspec.Struct, frozen=True, gc=False):
    """What one node answered at one moment; `error` says why it did not answer, or not wholly.

    left_out counts processes and threads that were not read because the line holds too many.
    """

    node: str
    sample: int
    taken_at: str | None = None
    agent: str | None = None
    error: str | None = None
    processes: tuple[Process, ...] = ()
    left_out: int = 0


class NcclOutcome(StrEnum):
    """How an attempt to ask NCCL RAS ended."""

    ANSWERED = "answered"
    UNSUPPORTED = "unsupported"
    DISABLED = "disabled"
    NOT_INITIALISED = "not_initialised"
    REFUSED = "refused"
    FROZEN = "frozen"
    CUT = "cut"
    UNSAFE = "unsafe"


class NcclAnswer(msgspec.Struct, frozen=True, gc=False):
    """What NCCL RAS said on one node, or why it was not asked; `detail` is one English sentence.

    reason is one of rankscope.nccl.model.Reason, more precise than the outcome; empty when
    answered. again is False where a second question could harm the job.
    """

    node: str
    outcome: NcclOutcome
    sample: int = 0
    asked_at: str | None = None
    nccl_version: str | None = None
    format: str | None = None
    raw: str = ""
    detail: str = ""
    reason: str = ""
    again: bool = True


class CaptureHeader(msgspec.Struct, frozen=True, gc=False):
    """The first line of a capture file; print_id is its start in nanoseconds since the epoch."""

    job_id: str
    print_id: str
    started_at: str | None = None
    trigger: Trigger = Trigger.MANUAL
    world_size: int | None = None
    samples: int = 1
    requested_nodes: tuple[str, ...] = ()


class Capture(msgspec.Struct, frozen=True, gc=False):
    """One collection over all nodes of a job."""

    header: CaptureHeader
    samples: tuple[NodeSample, ...]
    nccl: tuple[NcclAnswer, ...] = ()
