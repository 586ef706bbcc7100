"""Any other line that names a step and a time, or a step and a time stamp."""

import re

from rankscope.logs.formats.reading import CLOCKED, OWN, Format, Reading, clock, positive
from rankscope.logs.steps import named_step

_NAME = (
    r"(?:step|iter(?:ation)?|batch)[_ ]?time|time[_/ ]per[_/ ](?:step|iter(?:ation)?)|step_avg"
    r"|(?:sec|seconds|s|ms) ?(?:/|per) ?(?:step|it(?:er(?:ation)?)?)|time|seconds|dt"
)
_NAMED = re.compile(
    rf"(?<![\w/])(?P<name>{_NAME})['\"]?(?: ?\((?P<in>ms|s|sec)\))?['\"]?(?: ?[:=] ?| )['\"]?"
    r"(?P<time>\d+(?:\.\d+)?(?:e[+-]?\d+)?) ?(?P<unit>ms|us|s|sec|seconds)?\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"(?P<value>\d+(?:\.\d+)?) ?(?P<unit>s/it|sec/it|s/step|sec/step|ms/step|ms/it|it/s|steps?/s)\b"
)
_MS = {"ms": 1.0, "us": 0.001}


def _read(text: str) -> Reading | None:
    step = named_step(text)
    if step is None:
        return None
    ms = _time_ms(text)
    at, resolution = clock(text)
    return Reading(
        format="generic",
        variant="step time" if ms else "time stamps" if at is not None else "steps only",
        trust=CLOCKED,
        step=step.number,
        total=step.total,
        ms=ms,
        clock_s=None if ms else at,
        resolution_s=0.0 if ms else resolution,
    )


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


FORMATS = tuple(Format("generic", needle, _read) for needle in ("tep", "ter", "TEP", "TER"))
