"""Any other line that names a step and a time, or a step and a time stamp."""

import re

from rankscope.logs.formats.reading import CLOCKED, Format, Reading, clock, positive, whole

_STEP = re.compile(
    r"(?<![\w.])(?:global_step|current_steps|train_step|step|steps|iteration|iter)"
    r"['\"]?(?: ?[:=] ?| \[ ?| )['\"]?(?P<step>\d+)(?!\d|[.,]\d|[eE%])"
    r"(?:/ ?(?P<total>\d+))?",
    re.IGNORECASE,
)
# Lines that speak of a step which they do not end.
_NO_STEP = re.compile(
    r"validat|evaluati(?:on|ng)|checkpoint|\bsav(?:e|ed|ing)\b|\bload|resum|micro_step"
    r"|total optim|warm ?up",
    re.IGNORECASE,
)

_NAME = (
    r"(?:step|iter(?:ation)?|batch)[_ ]?time|time[_/ ]per[_/ ](?:step|iter(?:ation)?)|step_avg"
    r"|(?:sec|seconds|s|ms) ?(?:/|per) ?(?:step|it(?:er(?:ation)?)?)|time|seconds|dt"
)
_NAMED = re.compile(
    rf"(?<![\w/])(?P<name>{_NAME})['\"]?(?: ?\((?P<in>ms|s|sec)\))?['\"]?"
    r"(?: ?[:=] ?| {1,2})['\"]?"
    r"(?P<time>\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(?P<unit>ms|us|s|sec|seconds)?\b",
    re.IGNORECASE,
)
# `Epoch: [0][ 10/500]` and `Train: 0 [  10/500 (  2%)]`, as the examples of PyTorch and timm print.
_PLACE = re.compile(r"\b(?:Epoch|Train): \[?(?P<epoch>\d+)\]? ?\[ *(?P<at>\d+)/(?P<total>\d+)")
_RATE = re.compile(
    r"(?<!\d)(?P<value>\d+(?:\.\d+)?) ?"
    r"(?P<unit>s/it|sec/it|s/step|sec/step|ms/step|ms/it|it/s|steps?/s)\b"
)
_MS = {"ms": 1.0, "us": 0.001}


def _read(text: str) -> Reading | None:
    step = _step(text)
    if step is None or _NO_STEP.search(text):
        return None
    ms = _time_ms(text)
    at, resolution = clock(text)
    return Reading(
        format="generic",
        variant="step time" if ms else "time stamps" if at is not None else "steps only",
        trust=CLOCKED,
        step=step[0],
        total=step[1],
        ms=ms,
        clock_s=None if ms else at,
        resolution_s=0.0 if ms else resolution,
    )


def _step(text: str) -> tuple[int, int | None] | None:
    """Return the step and how many there are, through the run where epochs are counted."""
    place = _PLACE.search(text)
    if place:
        return int(place["epoch"]) * int(place["total"]) + int(place["at"]), None
    found = _STEP.search(text)
    return (int(found["step"]), whole(found["total"])) if found else None


def _time_ms(text: str) -> float | None:
    found = _NAMED.search(text)
    if found:
        unit = (found["in"] or found["unit"] or "").lower()
        unit = unit or ("ms" if found["name"].lower().startswith("ms") else "s")
        return positive(found["time"], _MS.get(unit, 1000.0))
    rate = _RATE.search(text)
    value = positive(rate["value"]) if rate else None
    if rate is None or value is None:
        return None
    if rate["unit"].startswith("ms"):
        return value
    return 1000 / value if rate["unit"].endswith("/s") else 1000 * value


FORMATS = tuple(
    Format("generic", needle, _read)
    for needle in ("tep", "ter", "TEP", "TER", "Epoch: ", "Train: ")
)
