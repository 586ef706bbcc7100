"""The life of an incident: alerts open it, captures fill it, recovery or the job's end closes it.

Everything here works on the records in Redis and submits the next task; it neither captures nor
sends. Every function may be repeated after a crash: it then completes what it had begun.
"""

from rankscope.incidents.acknowledge import acknowledge
from rankscope.incidents.alerts import end_silences
from rankscope.incidents.events import handle_event
from rankscope.incidents.outcomes import (
    Joined,
    NoNodes,
    NotRunning,
    Outcome,
    Started,
    TooSoon,
    UnknownJob,
)
from rankscope.incidents.progress import fail_capture, finish_capture, note_progress
from rankscope.incidents.requests import Ask, request_capture
from rankscope.incidents.silence import silence_job, silence_of, unsilence_job
from rankscope.incidents.targets import targets_of, world_size_of

__all__ = [
    "Ask",
    "Joined",
    "NoNodes",
    "NotRunning",
    "Outcome",
    "Started",
    "TooSoon",
    "UnknownJob",
    "acknowledge",
    "end_silences",
    "fail_capture",
    "finish_capture",
    "handle_event",
    "note_progress",
    "request_capture",
    "silence_job",
    "silence_of",
    "targets_of",
    "unsilence_job",
    "world_size_of",
]
