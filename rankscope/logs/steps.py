"""Find the training steps in a log, line by line.

Known forms, best first:

* Megatron-LM and its forks (`training_log` in megatron/training/training.py): `iteration N/ M | … |
  elapsed time per iteration (ms): X`, with or without a time stamp in front; BigScience's fork
  writes seconds, `(s)`;
* anything else that names a step: `step 12`, `step: 12/100`, `global_step=12`, `Iteration [12/90]`,
  `"current_steps": 12`. Such a line says that a step ended, but not how long it took.

The time is a mean over all steps since the line before, as the frameworks print it.
"""

import re
from dataclasses import dataclass

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MEGATRON = re.compile(
    r"\biteration +(?P<step>\d+)/ *(?P<total>\d+) \|.*?"
    r"elapsed time per iteration \((?P<unit>ms|s)\): (?P<time>[\d.]+)"
)
_GENERIC = re.compile(
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


@dataclass(frozen=True, slots=True)
class Step:
    """A step that has ended; ms is the mean time per step since the line before, if it says so."""

    number: int
    total: int | None = None
    ms: float | None = None


def parse_step(line: str) -> Step | None:
    """Return the step a line tells of, or None."""
    text = _ANSI.sub("", line)
    return _megatron(text) or named_step(text)


def _megatron(text: str) -> Step | None:
    found = _MEGATRON.search(text)
    if found is None:
        return None
    factor = 1000.0 if found["unit"] == "s" else 1.0
    return Step(int(found["step"]), int(found["total"]), _number(found["time"], factor))


def _number(text: str, factor: float) -> float | None:
    try:
        value = factor * float(text)
    except ValueError:
        return None
    return value if value > 0 else None


def named_step(text: str) -> Step | None:
    """Return the step that a line without colours names in any of the usual ways, or None."""
    found = None if _NO_STEP.search(text) else _GENERIC.search(text)
    if found is None:
        return None
    return Step(int(found["step"]), int(found["total"]) if found["total"] else None)
