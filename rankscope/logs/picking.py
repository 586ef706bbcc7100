"""Pick the lines of a log that tell of steps and of what explains them, fast.

Logs repeat themselves: without digits, millions of lines have a few hundred forms. A form is looked
at once; lines of a form that tells nothing are never read again. So most of a log costs one
`bytes.translate`, one `split` and one look-up a line. Memory is bounded: forms are kept as hashes,
and forgotten all at once when there are too many. Pure.
"""

from bisect import bisect_right
from itertools import accumulate
from operator import eq

from rankscope.logs.ending import may_end
from rankscope.logs.formats import read_step
from rankscope.logs.formats.marks import announced_total, mark_of
from rankscope.logs.formats.prefix import plain
from rankscope.logs.slow import read_warning

DIGITS = b"0123456789"
MOST_FORMS = 50_000
KEPT = 4096
"""Bytes of a line that are read: no step line is longer, and patterns stay fast."""
# Every line that ends a step has a digit and one of these in it; a test compares with FORMATS.
_OF_STEPS = (
    b"tep", b"ter", b"TEP", b"TER", b"%|", b"Epoch", b"Train: ", b" time: ", b"timing",
    b"elapsed", b"CurrSamples", b"interval_runtime", b"tps:", b" - perf/", b"skipped=", b"'loss'",
    b"Smoothed", b"Total opt",
)  # fmt: skip
# Every line that explains a step or ends the job has one of these in it.
_OF_OTHERS = (
    b"heckpoint", b"alidat", b"val", b"unning", b"aving", b"Command r", b"train", b"exit",
    b"Exited", b"ChildFailed", b"srun: ", b"CANCELLED",
)  # fmt: skip


class Picker:
    """Remembers the forms it has seen; one for each log, or for all of them."""

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._kept: set[int] = set()

    def pick(self, block: bytes) -> list[str]:
        """Return the lines of a block that are worth reading, in order, cut to 4096 bytes."""
        if b"\r" in block:
            block = block.replace(b"\r", b"\n")
        bare = block.translate(None, DIGITS).split(b"\n")
        forms = list(map(hash, bare))
        distinct = set(forms)
        fresh = distinct - self._known
        if not fresh and self._kept.isdisjoint(distinct):
            return []
        lines = block.split(b"\n")
        if fresh:
            self._learn(fresh, forms, bare, lines)
        kept = self._kept
        found = [line for form, line in zip(forms, lines, strict=True) if form in kept]
        return [line[:KEPT].decode(errors="replace") for line in thinned(found)]

    def _learn(
        self, fresh: set[int], forms: list[int], bare: list[bytes], lines: list[bytes]
    ) -> None:
        if len(self._known) + len(fresh) > MOST_FORMS:
            self._known.clear()
            self._kept.clear()
            fresh = set(forms)
        self._known |= fresh
        # The first line of each form, with digits or without.
        first = dict(zip(reversed(forms), range(len(forms) - 1, -1, -1), strict=True))
        indexes = sorted(map(first.__getitem__, fresh))
        cut = {index: lines[index][:KEPT] for index in indexes}
        numbered = [index for index in indexes if len(bare[index]) < len(lines[index])]
        of_steps = _with_any(_OF_STEPS, numbered, cut)
        of_others = _with_any(_OF_OTHERS, indexes, cut) - of_steps
        self._kept.update(forms[index] for index in of_steps if tells(cut[index]))
        self._kept.update(forms[index] for index in of_others if explains(cut[index]))


def _with_any(words: tuple[bytes, ...], indexes: list[int], lines: dict[int, bytes]) -> set[int]:
    """Return the lines that contain any of the words; one search over all of them for each word."""
    text = b"\n".join(map(lines.__getitem__, indexes))
    found: set[int] = set()
    starts: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            starts = starts or [0, *accumulate(len(lines[index]) + 1 for index in indexes)]
            place = bisect_right(starts, at) - 1
            found.add(indexes[place])
            at = text.find(word, starts[place + 1])
    return found


def tells(line: bytes) -> bool:
    """Whether a line ends a step, explains one, or tells of the job's end."""
    text = plain(line.decode(errors="replace"))
    if _explains(text):
        return True
    return bool(read_step(text) or announced_total(text) or read_warning(text))


def explains(line: bytes) -> bool:
    """Whether a line explains a step or tells of the job's end; it may do so without digits."""
    return _explains(plain(line.decode(errors="replace")))


def _explains(text: str) -> bool:
    return may_end(text) or mark_of(text) is not None


def thinned(lines: list[bytes]) -> list[bytes]:
    """Leave out progress bars of the same second as the one before, which tell no time.

    A bar is redrawn up to ten times a second and prints whole seconds: `20/3125 [00:45<1:57:12`.
    The last bar stays, since it tells how far the job is.
    """
    bars = [index for index, line in enumerate(lines) if b"%|" in line]
    if len(bars) < 3:
        return lines
    # What two bars of one kind share within a second: `3125 [00:45`.
    tails = [lines[index].rpartition(b"%|")[2] for index in bars[:-1]]
    seconds = [tail.partition(b"/")[2].partition(b"<")[0] for tail in tails]
    again = map(eq, seconds, [b"", *seconds])
    left_out = {bars[at] for at, same in enumerate(again) if same and seconds[at]}
    return [line for index, line in enumerate(lines) if index not in left_out]
