"""Megatron-LM and its forks: `iteration N/ M | … | elapsed time per iteration (ms): X | …`.

The text is `training_log` of megatron/training/training.py; what is in front of it and which fields
follow tell the version. Up to 23.06, and in the forks for DeepSpeed, checkpoints and evaluations
are inside the printed time; since November 2023 they are not. The time is a mean over the log
interval. BigScience's fork prints seconds.
"""

import re

from rankscope.logs.formats.marks import SKIPPED
from rankscope.logs.formats.reading import OWN, Format, Reading, positive, whole

_ELAPSED = r"elapsed time per iteration \((?P<unit>ms|s)\): *(?P<time>[^\s|]+)"
# Up to the first time that is printed; written so that it takes no more than one look at a letter.
_BEFORE = (
    rf"[^e\n]*+(?:(?!{_ELAPSED.replace('?P<unit>', '?:').replace('?P<time>', '?:')})e[^e\n]*+)*+"
)
_LINE = re.compile(
    r"(?P<stamp>\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?P<micro>\.\d+)?\] )?\s*"
    rf"\biteration +(?P<step>\d+)/ *(?P<total>\d+) \|(?P<before>{_BEFORE}){_ELAPSED}"
)
_BATCH = re.compile(r"global batch size: *(\d+)")
_LENGTH = re.compile(r"actual seqlen: *(\d+)")
_SKIPPED = re.compile(r"number of skipped iterations: *[1-9]")


def _read(text: str) -> Reading | None:
    found = _LINE.search(text)
    if found is None:
        return None
    stamp, micro, step, total, before, unit, time = found.groups()
    after = found.end()
    length = _LENGTH.search(text)
    name, variant = "megatron-lm", "core 0.6-0.15"
    if unit == "s":
        name, variant = "megatron-deepspeed", "BigScience"
    elif "consumed tokens" in before or (length and text.find("actual seqlen", after) >= 0):
        name, variant = "megatron-deepspeed", "DeepSpeed"
    elif micro:
        variant = "core 0.16+"
    elif not stamp:
        variant = _untimed(before, text, after)
    return Reading(
        format=name,
        variant=variant,
        trust=OWN,
        step=int(step),
        total=int(total),
        ms=positive(time, 1000.0 if unit == "s" else 1.0),
        shape=_shape(_BATCH.search(text), length),
        marks=(SKIPPED,) if _SKIPPED.search(text, after) else (),
    )


def _untimed(before: str, text: str, after: int) -> str:
    """Return the version of a line without a time stamp."""
    if "consumed samples" not in before:
        return "v1 (2020)"
    return "core 0.5" if text.find("throughput per GPU", after) >= 0 else "v2-23.06"


def _shape(*matches: re.Match[str] | None) -> tuple[int, ...]:
    found = (whole(match[1]) for match in matches if match)
    return tuple(value for value in found if value is not None)


FORMATS = (Format("megatron-lm", "elapsed time per iteration", _read),)
