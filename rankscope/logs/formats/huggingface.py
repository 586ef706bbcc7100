"""Hugging Face Trainer and what is built on it: LLaMA-Factory, ms-swift, plain progress bars.

A bar is `  5%|▌ | 20/3125 [00:45<1:57:12,  2.27s/it]`: the rate is smoothed, so that the time
between two bars counts. The dict the trainer prints names neither step nor time. LLaMA-Factory
writes trainer_log.jsonl (src/llamafactory/train/callbacks.py) with both; ms-swift puts them into
the dict. All of them print whole seconds.
"""

import json
import re

import msgspec

from rankscope.logs.formats.marks import EVALUATION
from rankscope.logs.formats.prefix import without_prefix
from rankscope.logs.formats.reading import (
    BAR,
    COUNTED,
    ELAPSED,
    Format,
    Reading,
    clock,
    duration_s,
    positive,
    whole,
)

_BAR = re.compile(
    r"\d{1,3}%\|[^|]*\| *(?P<step>\d+)/(?P<total>\d+) "
    r"\[(?P<elapsed>[\d:]+)<[^,\]]*,\s*(?P<rate>[\d.?]+)(?P<unit>s/it|it/s)"
)
LONGEST_LABEL = 200
_LABEL = re.compile(r"([A-Za-z][\w /()\[\]=.,#-]*?)\s*:[\s:]*$")
_TRAINS = re.compile(r"\b(?:train|steps?|epochs?|iter|updates?|optimi)", re.IGNORECASE)
_EPOCH = re.compile(r"\bepoch[ _]*\[?(?P<epoch>\d+)(?P<of> ?/ ?\d+)?", re.IGNORECASE)
# What the libraries of the field show bars for beside the training.
_NO_TRAINING = re.compile(
    r"\b(?:loading|load|map|filter|tokeni[sz]\w*|eval\w*|validat\w*|val|valid|test\w*|predict\w*"
    r"|infer\w*|sanity|processed prompts|processing|saving|save|download\w*|fetching|upload\w*"
    r"|generat\w*|rollouts?|sampling|preprocess\w*|prepar\w*|group\w*|cast\w*|convert\w*|pack\w*"
    r"|padding|creating|resolving|extract\w*|comput\w*|calculat\w*|scor\w+|adding|flatten\w*"
    r"|sort\w*|shuffl\w*|index\w*|build\w*|encod\w*|embedding|reading|writing|copying|scanning"
    r"|quantiz\w*|rendering|captur\w*|compil\w*|warm\w*|init\w*|data(?:set|loader)?s?|checkpoints?"
    r"|merg\w*|shards?|files?|split\w*|cach\w*|reward|dump\w*)\b"
    r"|\.(?:json|jsonl|safetensors|bin|txt|model|parquet|arrow|tar|zip|pt|pth)\b",
    re.IGNORECASE,
)
OTHER_BAR = "other bar"
"""The variant of a bar whose label speaks neither of a training nor of anything else known."""
_DICT = re.compile(r"\{'loss': ")
_SWIFT = re.compile(r"'(?:global_step/max_steps|iteration)': '(\d+)/(\d+)'")
_SWIFT_ELAPSED = re.compile(r"'elapsed_time': '([^']+)'")
_SWIFT_SPEED = re.compile(r"'train_speed\((iter/s|s/it)\)': '?([\d.]+)")
_FACTORY = re.compile(r"llamafactory\.|LLaMA-?Factory", re.IGNORECASE)


def _read_bar(text: str) -> Reading | None:
    found = _last_bar(text)
    if found is None:
        return None
    before = _before(text, found.start())
    label = _LABEL.search(without_prefix(before)) if before else None
    trains = label is None or _TRAINS.search(label[1]) is not None
    if label and _NO_TRAINING.search(label[1]):
        return None
    epoch = _epochs_before(label[1]) if label else 0
    total = int(found["total"])
    return Reading(
        format="progress-bar",
        variant="" if trains else OTHER_BAR,
        trust=BAR,
        step=epoch * total + int(found["step"]),
        total=total,
        elapsed_s=duration_s(found["elapsed"]),
        average_ms=_per_step_ms(found["unit"], found["rate"]),
        resolution_s=1.0,
    )


def _epochs_before(label: str) -> int:
    """Return how many epochs have ended: `Epoch 1/3` counts from one, `Epoch 1` from nought."""
    found = _EPOCH.search(label)
    return max(0, int(found["epoch"]) - bool(found["of"])) if found else 0


def _last_bar(text: str) -> re.Match[str] | None:
    """Return the last bar of a line: when several are glued together, it is the newest."""
    at = text.rfind("%|")
    while at >= 0:
        found = _BAR.search(text, max(0, at - 3), len(text))
        if found:
            return found
        at = text.rfind("%|", 0, at)
    return None


def _before(text: str, start: int) -> str:
    """Return what stands between a bar and the one before it, or the beginning of its line."""
    if not start:
        return ""
    cut = max(text.rfind("\r", 0, start), text.rfind("|", 0, start), text.rfind("%", 0, start))
    return text[max(cut + 1, start - LONGEST_LABEL) : start].rstrip()


def _read_dict(text: str) -> Reading | None:
    found = _DICT.search(text)
    if found is None:
        return None
    at, resolution = clock(text[: found.start()])
    factory = _FACTORY.search(text, 0, found.start()) is not None
    return Reading(
        format="llama-factory" if factory else "hf-trainer",
        variant="stdout" if factory else "v5" if text.startswith("'", found.end()) else "v4",
        trust=COUNTED,
        clock_s=at,
        resolution_s=resolution,
    )


def _read_swift(text: str) -> Reading | None:
    found, elapsed = _SWIFT.search(text), _SWIFT_ELAPSED.search(text)
    if found is None or elapsed is None:
        return None
    speed = _SWIFT_SPEED.search(text)
    return Reading(
        format="ms-swift",
        variant="megatron" if "'iteration'" in found[0] else _year(speed),
        trust=ELAPSED,
        step=int(found[1]),
        total=int(found[2]),
        elapsed_s=duration_s(elapsed[1]),
        average_ms=_per_step_ms(speed[1], speed[2]) if speed else None,
        resolution_s=1.0,
    )


def _year(speed: re.Match[str] | None) -> str:
    return "2026" if speed and speed[1] == "s/it" else "2024-2025"


def _per_step_ms(unit: str, rate: str) -> float | None:
    value = positive(rate)
    if value is None:
        return None
    return 1000 * value if unit == "s/it" else 1000 / value


class _Record(msgspec.Struct):
    """What counts of a record; anything may stand where a number should."""

    elapsed_time: object
    current_steps: object
    total_steps: object = None
    eval_loss: object = None
    learning_rate: object = msgspec.UNSET


_RECORDS = msgspec.json.Decoder(_Record)


def _read_jsonl(text: str) -> Reading | None:
    start = text.find("{")
    if start < 0:
        return None
    try:
        record = _record(text[start:] if start else text)
        elapsed = duration_s(str(record.elapsed_time))
        step, total = whole(str(record.current_steps)), whole(str(record.total_steps))
    except (ValueError, TypeError):
        return None
    return Reading(
        format="llama-factory",
        variant="trainer_log.jsonl"
        if record.learning_rate is msgspec.UNSET
        else "trainer_log.jsonl, old keys",
        trust=ELAPSED,
        step=step,
        total=total,
        elapsed_s=elapsed,
        resolution_s=1.0,
        marks=() if record.eval_loss is None else (EVALUATION,),
    )


def _record(text: str) -> _Record:
    """Return a record; raises ValueError for anything else, also what is only almost JSON."""
    try:
        return _RECORDS.decode(text)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:  # Python writes NaN where a loss is no number.
        return msgspec.convert(json.loads(text), _Record)


FORMATS = (
    Format("llama-factory", '"current_steps"', _read_jsonl),
    Format("ms-swift", "'elapsed_time'", _read_swift),
    Format("progress-bar", "%|", _read_bar),
    Format("hf-trainer", "{'loss': ", _read_dict),
)
