"""Is it a hang, or has only an output stopped? Three signals together tell, one alone does not.

log: steps, losses or stage marks still come. metrics: GPU, network and storage do what they should.
checkpoints: checkpoint or TensorBoard files still change. None means that nobody looked.
"""

from dataclasses import dataclass

from rankscope.model.text import Text
from rankscope.text import say

_NAMES = ("log", "metrics", "checkpoints")


@dataclass(frozen=True, slots=True)
class NoProgress:
    """A verdict and what to do next; name is stable."""

    name: str
    verdict: Text
    next_step: Text


def judge_progress(log: bool | None, metrics: bool | None, checkpoints: bool | None) -> NoProgress:
    """Return the verdict of the three signals; what is unknown is said, and never guessed.

    A GPU that is busy proves nothing: a NCCL kernel that waits for its peers spins at 100 %.
    """
    name = _name(log, metrics, checkpoints)
    unknown = [
        f"triage-signal-{n}"
        for n, v in zip(_NAMES, (log, metrics, checkpoints), strict=True)
        if v is None
    ]
    missing = [say(signal) for signal in unknown]
    zh, en = "、".join(one.zh for one in missing), ", ".join(one.en for one in missing)
    verdict = say(f"triage-progress-{name}")
    if name == "unknown":
        verdict = Text(verdict.zh.replace("…", zh), verdict.en.replace("…", en))
    return NoProgress(name, verdict, say(f"triage-progress-{name}-next"))


def _name(log: bool | None, metrics: bool | None, checkpoints: bool | None) -> str:
    if log:
        return "low-use" if metrics is False else "moving"
    if log is None or metrics is None or checkpoints is None:
        return "unknown"
    return {
        (True, True): "silent-log",
        (True, False): "spinning",
        (False, True): "saving",
        (False, False): "hang",
    }[metrics, checkpoints]
