"""Pick the lines of a log that tell of steps and of what explains them, fast.

Logs repeat themselves: without digits, millions of lines have a few hundred forms. A form is looked
at once; lines of a form that tells nothing are never read again. So most of a log costs one
`bytes.translate`, one `split` and one look-up a line. Memory is bounded: forms are kept as hashes,
and forgotten all at once when there are too many. Pure.
"""

import re

from rankscope.logs.ending import may_end
from rankscope.logs.formats import read_step
from rankscope.logs.formats.marks import announced_total, mark_of
from rankscope.logs.formats.prefix import plain
from rankscope.logs.slow import read_warning

DIGITS = b"0123456789"
MOST_FORMS = 200_000
KEPT = 4096
"""Bytes of a line that are read: no step line is longer, and patterns stay fast."""
_DIGIT = re.compile(rb"\d")
# Every line that ends a step, explains one or ends the job has one of these in it.
_NEEDLES = re.compile(
    rb"tep|ter|TEP|TER|%\||Epoch|Train: |poch\(|time[: ]|timing|'loss'|global_|runtime"
    rb"|heckpoint|alidat|val[_u()/-]|Evalu|unning |[Ss]aving|Command r|Smoothed|Total opt"
    rb"|exit|Exit|Error|srun|slurmstepd|train_"
)


class Picker:
    """Remembers the forms it has seen; one for each log, or for all of them."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._kept: set[int] = set()

    def pick(self, block: bytes) -> list[str]:
        """Return the lines of a block that are worth reading, in order, cut to 4096 bytes."""
        if b"\r" in block:
            block = block.replace(b"\r", b"\n")
        forms = list(map(hash, block.translate(None, DIGITS).split(b"\n")))
        distinct = set(forms)
        fresh = distinct - self._known
        if not fresh and self._kept.isdisjoint(distinct):
            return []
        lines = block.split(b"\n")
        if fresh:
            self._learn(fresh, forms, lines)
        kept = self._kept
        found = [line for form, line in zip(forms, lines, strict=True) if form in kept]
        return [line[:KEPT].decode(errors="replace") for line in thinned(found)]

    def _learn(self, fresh: set[int], forms: list[int], lines: list[bytes]) -> None:
        if len(self._known) + len(fresh) > MOST_FORMS:
            self._known.clear()
            self._kept.clear()
            fresh = set(forms)
        self._known |= fresh
        for form, line in zip(forms, lines, strict=True):
            if form in fresh:
                fresh.discard(form)
                if tells(line[:KEPT]):
                    self._kept.add(form)


def tells(line: bytes) -> bool:
    """Whether a line says anything of steps, of what explains them, or of the job's end."""
    if _NEEDLES.search(line) is None:
        return False
    text = plain(line.decode(errors="replace"))
    if may_end(text) or mark_of(text) or read_warning(text):
        return True
    has_digits = _DIGIT.search(line) is not None
    return has_digits and bool(read_step(text) or announced_total(text))


def thinned(lines: list[bytes]) -> list[bytes]:
    """Leave out progress bars between two of the same second, which tell no time.

    A bar is redrawn up to ten times a second and prints whole seconds: `20/3125 [00:45<1:57:12`.
    """
    kept: list[bytes] = []
    before, repeated = b"", False
    for line in lines:
        elapsed = _elapsed(line) if b"%|" in line else b""
        if elapsed and elapsed == before:
            if repeated:
                kept[-1] = line
            else:
                kept.append(line)
            repeated = True
            continue
        kept.append(line)
        before, repeated = elapsed, False
    return kept


def _elapsed(line: bytes) -> bytes:
    start = line.find(b"[", line.find(b"%|"))
    return line[start : line.find(b"<", start)] if start >= 0 else b""
