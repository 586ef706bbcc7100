"""NeMo: the progress printer of version 2 and the bar of version 1, with the last step's time.

NeMo counts `iteration` anew in each epoch and `global_step` through the run.
"""

import re

from rankscope.logs.formats.reading import OWN, Format, Reading, positive, whole

_PRINTER = re.compile(r"Training epoch (?P<epoch>\d+), iteration (?P<at>\d+)/(?P<total>\d+)")
_BAR = re.compile(r"Epoch (?P<epoch>\d+):\s*:?.*?\|\s*(?P<at>\d+)/(?P<total>\d+) \[")
_STEP = re.compile(r"\bglobal_step[=:] *([\d.]+)")
_TIME = re.compile(r"\btrain_step_timing in s[=:] *([^\s,\]|]+)")
_BATCH = re.compile(r"\bglobal_batch_size[=:] *([\d.]+)")


def _read(text: str) -> Reading | None:
    time = _TIME.search(text)
    printer = _PRINTER.search(text)
    place = printer or _BAR.search(text)
    named = _STEP.search(text)
    if time is None or not (place or named):
        return None
    batch = _BATCH.search(text)
    size = whole(batch[1]) if batch else None
    return Reading(
        format="nemo",
        variant="2" if printer else "1",
        trust=OWN,
        step=whole(named[1]) if named else place and _through_the_run(place),
        ms=positive(time[1], 1000.0),
        shape=() if size is None else (size,),
    )


def _through_the_run(place: re.Match[str]) -> int:
    return int(place["epoch"]) * int(place["total"]) + int(place["at"])


FORMATS = (Format("nemo", "train_step_timing in s", _read),)
