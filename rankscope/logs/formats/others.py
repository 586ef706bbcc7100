"""verl, torchtitan, MMEngine (and MMCV before it), PaddleNLP: one line a step or interval each."""

import re

from rankscope.logs.formats.marks import CHECKPOINT, EVALUATION
from rankscope.logs.formats.reading import CLOCKED, OWN, Format, Reading, clock, positive, whole

_VERL = re.compile(r"\bstep:(?P<step>\d+) - ")
_VERL_TIME = re.compile(r"\b(?:timing_s/step|perf/time_per_step):([^\s,]+)")
_VERL_PART = re.compile(r"\btiming/\w+:([\d.eE+-]+)")
_VERL_TOKENS = re.compile(r"\bperf/total_num_tokens:([^\s,]+)")
_VERL_MARKS = (("timing_s/save_checkpoint:", CHECKPOINT), ("timing_s/testing:", EVALUATION))

_TITAN = re.compile(r"(?<!validate )\bstep: *(?P<step>\d+) +loss: *\S+.*\btps: *[\d,]+")

_MM = re.compile(
    r"\b(?:Epoch|Iter)(?P<new>\(train\))? +"
    r"(?:\[(?P<epoch>\d+)\])?\[ *(?P<at>\d+)/(?P<total>\d+)\]"
    r".*?[\s,]time: (?P<time>[\d.]+)"
)

_PADDLE_STEP = re.compile(r"\bglobal_step: (\d+)")
_PADDLE_TIME = re.compile(r"\binterval_runtime: ([\d.]+)")
_PADDLE_RATE = re.compile(r"\binterval_steps_per_second: ([\d.]+)")


def _read_verl(text: str) -> Reading | None:
    found = _VERL.search(text)
    if found is None:
        return None
    time, tokens = _VERL_TIME.search(text), _VERL_TOKENS.search(text)
    parts = [positive(part, 1000.0) or 0.0 for part in _VERL_PART.findall(text)]
    return Reading(
        format="verl",
        variant="timing_s" if time else "timing",
        trust=OWN,
        step=int(found["step"]),
        ms=positive(time[1], 1000.0) if time else sum(parts) or None,
        work=positive(tokens[1]) if tokens else None,
        marks=tuple(mark for part, mark in _VERL_MARKS if part in text),
    )


def _read_titan(text: str) -> Reading | None:
    found = _TITAN.search(text)
    if found is None:
        return None
    at, resolution = clock(text)
    return Reading(
        format="torchtitan",
        variant="2025+" if "tflops:" in text else "2024",
        trust=CLOCKED,
        step=int(found["step"]),
        clock_s=at,
        resolution_s=resolution,
    )


def _read_mm(text: str) -> Reading | None:
    found = _MM.search(text)
    if found is None:
        return None
    before = (int(found["epoch"] or 1) - 1) * int(found["total"])
    return Reading(
        format="mmengine",
        variant="mmengine" if found["new"] else "mmcv",
        trust=OWN,
        step=before + int(found["at"]),
        ms=positive(found["time"], 1000.0),
    )


def _read_paddle(text: str) -> Reading | None:
    step, time = _PADDLE_STEP.search(text), _PADDLE_TIME.search(text)
    if step is None or time is None:
        return None
    rate = _PADDLE_RATE.search(text)
    per_second, seconds = positive(rate[1]) if rate else None, positive(time[1])
    # The rate has two decimals; the number of steps it gives is whole, the run time exact.
    count = max(1, round(seconds * per_second)) if seconds and per_second else None
    return Reading(
        format="paddlenlp",
        trust=OWN,
        step=whole(step[1]),
        ms=1000 * seconds / count if seconds and count else None,
    )


FORMATS = (
    Format("verl", " - timing", _read_verl),
    Format("verl", " - perf/", _read_verl),
    Format("verl", "step:", _read_verl),
    Format("torchtitan", "tps:", _read_titan),
    Format("mmengine", " time: ", _read_mm),
    Format("paddlenlp", "interval_runtime: ", _read_paddle),
)
