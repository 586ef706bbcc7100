"""Megatron-LM and its forks: `iteration N/ M | … | elapsed time per iteration (ms): X | …`.

The text is `training_log` of megatron/training/training.py; what is in front of it and which fields
follow tell the version. Up to 23.06, and in the forks for DeepSpeed, checkpoints and evaluations
are inside the printed time; since November 2023 they are not. The time is a mean over the log
interval. BigScience's fork prints seconds.
"""

import re

from rankscope.logs.formats.marks import SKIPPED
from rankscope.logs.formats.reading import OWN, Format, Reading, positive, whole

_LINE = re.compile(
    r"(?P<stamp>\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?P<micro>\.\d+)?\] )?\s*"
    r"\biteration +(?P<step>\d+)/ *(?P<total>\d+) \|(?P<before>.*?)"
    r"elapsed time per iteration \((?P<unit>ms|s)\): *(?P<time>[^\s|]+)(?P<after>.*)"
)
_BATCH = re.compile(r"global batch size: *(\d+)")
_LENGTH = re.compile(r"actual seqlen: *(\d+)")
_SKIPPED = re.compile(r"number of skipped iterations: *([1-9])")


def _read(text: str) -> Reading | None:
    found = _LINE.search(text)
    if found is None:
        return None
    name, variant = _version(found)
    return Reading(
        format=name,
        variant=variant,
        trust=OWN,
        step=int(found["step"]),
        total=int(found["total"]),
        ms=positive(found["time"], 1000.0 if found["unit"] == "s" else 1.0),
        shape=_shape(text),
        marks=(SKIPPED,) if _SKIPPED.search(found["after"]) else (),
    )


def _version(found: re.Match[str]) -> tuple[str, str]:
    if found["unit"] == "s":
        return "megatron-deepspeed", "BigScience"
    if "consumed tokens" in found["before"] or "actual seqlen" in found["after"]:
        return "megatron-deepspeed", "DeepSpeed"
    if found["stamp"]:
        return "megatron-lm", "core 0.16+" if found["micro"] else "core 0.6-0.15"
    if "consumed samples" not in found["before"]:
        return "megatron-lm", "v1 (2020)"
    return "megatron-lm", "core 0.5" if "throughput per GPU" in found["after"] else "v2-23.06"


def _shape(text: str) -> tuple[int, ...]:
    found = (whole(match[1]) for match in (_BATCH.search(text), _LENGTH.search(text)) if match)
    return tuple(value for value in found if value is not None)


FORMATS = (Format("megatron-lm", "elapsed time per iteration", _read),)
