"""Lines that explain a long step: a checkpoint, an evaluation, a new start."""

import re

CHECKPOINT, EVALUATION, RESTART = "checkpoint", "evaluation", "restart"
# A step whose update was left out (overflow of the loss scale) is shorter than others.
SKIPPED = "skipped"

_NEEDLE = re.compile(
    r"heckpoint|alidat|val[_u()]|Evalu|unning train|training step|[Ss]aving|Command r"
)
_MARKS = (
    (
        RESTART,
        re.compile(
            r"\*{3,} Running training \*{3,}|\[before the start of training step\]"
            r"|Command running\.\.\.|loaded checkpoint from|(?:Resuming|Continuing) .*checkpoint"
        ),
    ),
    (
        CHECKPOINT,
        re.compile(
            r"\b[Ss]av(?:e|ed|ing)\b.{0,60}\b[Cc]heckpoint|\b[Cc]heckpoint\b.{0,60}\b[Ss]av(?:ed|ing)"
            r"|save-checkpoint|async checkpoint save|\b[Ss]aving (?:the )?(?:model|state|optimizer)"
        ),
    ),
    (
        EVALUATION,
        re.compile(
            r"\*{3,} Running (?:[Ee]valuation|[Pp]rediction)|\b[Vv]alidation (?:loss|Data|:)"
            r"|validate step|'eval_\w+': |\((?:val|validate)\)|\b[Ee]valuat(?:e|ing)\b"
            r"|^Validat|\bValidating\b|\bval-core/|\bval/"
        ),
    ),
)
_TOTAL = re.compile(r"Total optimization steps = ([\d,]+)")


def mark_of(text: str) -> str | None:
    """Return what a line that ends no step announces, or None."""
    if _NEEDLE.search(text) is None:
        return None
    return next((mark for mark, pattern in _MARKS if pattern.search(text)), None)


def announced_total(text: str) -> int | None:
    """Return the number of steps the Hugging Face Trainer announces, or None."""
    found = _TOTAL.search(text) if "Total optimization" in text else None
    return int(found[1].replace(",", "")) if found else None
