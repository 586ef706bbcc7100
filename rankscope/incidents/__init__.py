"""The life of an incident: alerts open it, captures fill it, recovery or the job's end closes it.

Everything here works on the records in Redis and submits the next task; it neither captures nor
sends. Every function may be repeated after a crash: it then completes what it had begun.
"""

from rankscope.incidents.events import handle_event
from rankscope.incidents.outcomes import (
    Joined,
    NoNodes,
    NotRunning,
    Outcome,
    Started,
    UnknownJob,
)
from rankscope.incidents.progress import fail_capture, finish_capture, note_progress
from rankscope.incidents.requests import Ask, request_capture
from rankscope.incidents.targets import targets_of, world_size_of

__all__ = [
    "Ask",
    "Joined",
    "NoNodes",
    "NotRunning",
    "Outcome",
    "Started",
    "UnknownJob",
    "fail_capture",
    "finish_capture",
    "handle_event",
    "note_progress",
    "request_capture",
    "targets_of",
    "world_size_of",
]
