"""DeepSpeed: the engine's timer, its log line of a step, and the pipeline engine.

The timer (deepspeed/utils/timer.py) prints only rates; with a time stamp in front the time between
two lines is the better source, without one a sample's time is the inverse of the rate. The pipeline
engine (runtime/pipe/engine.py) prints `iter time (s)`.
"""

import re

from rankscope.logs.formats.reading import CLOCKED, OWN, Format, Reading, clock, positive

_TIMER = re.compile(r"\bglobal_step=(?P<step>\d+), .*?\bCurrSamplesPerSec=(?P<rate>[^\s,]+)")
_STEP = re.compile(r"\[Rank \d+\] step=(?P<step>\d+), skipped=")
_PIPE = re.compile(
    r"\bsteps: (?P<step>\d+) loss: .*?\biter time \(s\): (?P<time>[^\s,]+)(?: samples/sec:)?"
)


def _read_timer(text: str) -> Reading | None:
    found = _TIMER.search(text)
    if found is None:
        return None
    at, resolution = clock(text)
    rate = positive(found["rate"]) if at is None else None
    return Reading(
        format="deepspeed",
        variant="engine",
        trust=CLOCKED,
        step=int(found["step"]),
        ms=1000 / rate if rate else None,
        clock_s=at,
        resolution_s=resolution,
        unit="ms/sample" if rate else "ms",
    )


def _read_step(text: str) -> Reading | None:
    found = _STEP.search(text)
    at, resolution = clock(text)
    if found is None or at is None:
        return None
    return Reading(
        format="deepspeed",
        variant="engine",
        step=int(found["step"]),
        clock_s=at,
        resolution_s=resolution,
    )


def _read_pipe(text: str) -> Reading | None:
    found = _PIPE.search(text)
    if found is None:
        return None
    return Reading(
        format="deepspeed",
        variant="pipeline",
        trust=OWN,
        step=int(found["step"]),
        ms=positive(found["time"], 1000.0),
    )


FORMATS = (
    Format("deepspeed", "CurrSamplesPerSec=", _read_timer),
    Format("deepspeed", "iter time (s): ", _read_pipe),
    Format("deepspeed", ", skipped=", _read_step),
)
