"""Lines with which a job says that it has ended, well or not.

A job that has ended is silent without hanging. Well: the Trainer's `'train_runtime'`, Megatron's
`[after training is done]` and `exiting program at iteration`, torchtitan's and Lightning's words.
Not well: what a launcher prints about a failed child once it gives up (torchrun, DeepSpeed, srun).
"""

import re
from enum import StrEnum


class Ending(StrEnum):
    """How a job says that it ended."""

    DONE = "done"
    FAILED = "failed"


_NEEDLE = re.compile(r"rain|xit|ChildFailed|CANCELLED|max_steps")
_FAILED = re.compile(
    r"elastic\.multiprocessing\.errors\.ChildFailedError|^\S* ?ChildFailedError:"
    r"|exits with return code = -?[1-9]|srun: error: .*: tasks? .*: (?:Exited|Terminated|Killed)"
    r"|slurmstepd: error: \*\*\* (?:STEP|JOB) \S+ .*CANCELLED"
)
_DONE = re.compile(
    r"'train_runtime': |\[after training is done\]|exiting program at iteration"
    r"|\bTraining completed"
    r"|`Trainer\.fit` stopped: `max_(?:steps|epochs)=|\*{3,} train metrics \*{3,}"
)


def ending_of(text: str) -> Ending | None:
    """Return how the job ended by its own words, or None for any other line."""
    if _NEEDLE.search(text) is None:
        return None
    if _FAILED.search(text):
        return Ending.FAILED
    return Ending.DONE if _DONE.search(text) else None


def may_end(text: str) -> bool:
    """Whether the line tells of an end."""
    return ending_of(text) is not None
