"""Whether the training has gone on after an error: the steps a log tells of.

Only whether a step ended counts here, not how long it took; rankscope.logs.steps reads times.
"""

import re
from collections import deque

REMEMBERED = 64
ENOUGH = 2
HINTS = (b"iter", b"step", b"epoch", b"it/s", b"s/it", b"loss")
# Lines that speak of a step which they do not end; other bars than that of the training.
_OTHER = re.compile(
    rb"validat|evaluat|eval_(?!loss\W+null)|sav(?:ing|ed)|checkpoint|resum|load(?:ed|ing)"
    rb"|total optim"
)
_BARS = re.compile(
    rb"download|upload|map|filter|token|generat|convert|fetch|examples/s|warm ?up|schedul"
    rb"|_steps['\"]?[:=]|timeout"
)
_STEP = re.compile(
    r"\biteration\s+(?P<a>\d+)\s*/\s*\d+"
    r"|(?<![\w.])(?:global_?step|current_steps|train_step|step|steps|iteration|iter)\b['\"]?\s*"
    r"(?:[:=]|\[)?\s*['\"]?(?P<b>\d+)(?:\.0+)?(?!\d|\.\d)"
    r"|Epoch(?:\(train\))?[: ]*\[\d+\]\s*\[\s*(?P<c>\d+)/\d+\]"
    r"|['\"]loss['\"]:.{0,2000}['\"]epoch['\"]:\s*['\"]?(?P<d>[\d.]+)"
    r"|(?:^|[Tt]rain\w{0,20}|[Ee]poch[ \d/]{0,20}|[Ss]teps?|[Ii]ter\w{0,20})\s{0,20}:?\s{0,20}"
    r"\d{1,3}%\|[^|]{0,300}\|\s{0,20}"
    r"(?P<e>\d+)/\d+ \[[^\]]{0,300}(?:it/s|s/it)",
    re.IGNORECASE,
)


def may_step(form: bytes) -> bool:
    """Whether a line of this form may tell of a step; the form is in lower case."""
    if not any(hint in form for hint in HINTS) or _OTHER.search(form):
        return False
    return b"loss" in form or not _BARS.search(form)


def step_of(text: str) -> str | None:
    """Return the step's number (or epoch) as printed, or None; of a bar the last that is there."""
    found = deque(_STEP.finditer(text), maxlen=1)
    return next(filter(None, found[0].groups()), None) if found else None


class Trail:
    """Counts steps that differ from the one before; count only ever grows."""

    def __init__(self) -> None:
        self.count = 0
        self.first = ""
        self.last = ""
        self.times: deque[tuple[str, float]] = deque(maxlen=REMEMBERED)

    def step(self, number: str, time: float | None) -> None:
        """Take in a step."""
        if number == self.last:
            return
        self.count += 1
        self.first = self.first or number
        self.last = number
        if time is not None:
            self.times.append((number, time))
