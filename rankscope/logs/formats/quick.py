"""Read lines that go on as the one before, without looking at all they say.

Millions of step lines of one run differ in a few numbers only. Each reader here takes a line of its
format in its usual form and returns the numbers, and apart from them what else matters. Where that
is the same as in the line before, which was read thoroughly, the line needs no more. For any other
line it returns None, also where only the thorough reader can tell.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from rankscope.logs.ending import ending_of
from rankscope.logs.formats.reading import duration_s


class Quick(msgspec.Struct, frozen=True):
    """The numbers of a line; same is what must not have changed, shape is that of a Reading.

    step is None where the line does not name it.
    """

    same: tuple[object, ...]
    step: int | None = None
    ms: float | None = None
    elapsed_s: float | None = None
    shape: tuple[int, ...] = ()


_MEGATRON = re.compile(
    r"((?:\[(?:default|rank)\d{1,5}\]: ?)?) ?"
    r"(?:(\[)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:(\.)\d+)?\] )?"
    r"iteration +(\d{1,15})/( *\d{1,15} \|(?: consumed samples:)?)(?: +\d+ \|)?"
    r" elapsed time per iteration \((ms|s)\): *(\d{1,9}(?:\.\d{1,9})?) \|"
)
_BATCH = re.compile(r"global batch size: *(\d{1,9})")
_SKIPPED = re.compile(r"number of skipped iterations: *[1-9]")
_BAR = re.compile(
    r" *\d{1,3}%\|[^|%:\x1b]{0,300}\| *(\d{1,15})/(\d{1,15}) "
    r"\[((?:\d{1,6}:)?\d{1,2}:)(\d\d)<[\d:?]+, *[\d.]{1,12}(?:s/it|it/s)\]"
)
# What is glued to a bar may be a step of a better source.
_MORE = re.compile(
    r"elapsed time per iter|train_step_timing|\"current_steps|'elapsed_time|%\||Smoothed|\x1b"
)
_LOSS = re.compile(
    r"\{'loss': ('?)[\d.e+naif-]+'?(?:, '(?!elapsed_time)\w+': '?[\d.e+naif-]+'?)*\}$"
)


class _Record(msgspec.Struct):
    current_steps: int
    elapsed_time: str
    total_steps: int | None = None
    eval_loss: object = None
    learning_rate: object = msgspec.UNSET


_RECORDS = msgspec.json.Decoder(_Record)


def _megatron(text: str) -> Quick | None:
    found = _MEGATRON.match(text)
    if found is None or "actual seqlen" in text or "\x1b" in text:
        return None
    start = found.end()
    who, stamp, micro, step, total, unit, time = found.groups()
    ms = float(time) * (1000.0 if unit == "s" else 1.0)
    if not ms or _SKIPPED.search(text, start):
        return None
    batch = _BATCH.search(text, start)
    rate = not stamp and "throughput per GPU" in text
    size = batch[1] if batch else None
    same = (who, stamp, micro, total, unit, rate, size)
    return Quick(same, int(step), ms, shape=(int(size),) if size else ())


def shows_bar(text: str, total: str) -> bool:
    """Whether a line only shows a bar of so many steps, or a bar and words without meaning."""
    found = _BAR.match(text)
    if found is None or found[2] != total:
        return False
    end = found.end()
    if end == len(text):
        return True
    return _MORE.search(text, end) is None and ending_of(text[end:]) is None


def _bar(text: str) -> Quick | None:
    found = _BAR.fullmatch(text)
    if found is None:
        return None
    step, total, minutes, seconds = found.groups()
    begun = _minutes_s(minutes)
    return None if begun is None else Quick((total,), int(step), elapsed_s=begun + int(seconds))


def _loss(text: str) -> Quick | None:
    found = _LOSS.match(text)
    return Quick((found[1],)) if found else None


def _record(text: str) -> Quick | None:
    try:
        record = _RECORDS.decode(text)
    except msgspec.DecodeError:
        return None
    time, step = record.elapsed_time, record.current_steps
    seconds = time[-2:]
    usual = time[-3:-2] == ":" and seconds.isdecimal() and record.eval_loss is None
    begun = _minutes_s(time[:-2]) if usual else None
    if begun is None or abs(step) > _MOST:
        return None
    same = (record.total_steps, record.learning_rate is msgspec.UNSET)
    return Quick(same, step, elapsed_s=begun + int(seconds))


_MOST = 10**15


@lru_cache(maxsize=16)
def _minutes_s(text: str) -> float | None:
    """Return the seconds of what is printed without them, as `1:04:`."""
    return duration_s(f"{text}00")


QUICK: Mapping[str, Callable[[str], Quick | None]] = {
    "megatron-lm": _megatron,
    "megatron-deepspeed": _megatron,
    "progress-bar": _bar,
    "hf-trainer": _loss,
    "llama-factory": _record,
}
"""The quick reader of a format, by its name."""
