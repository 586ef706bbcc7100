"""Find the few lines worth reading in a block of a log, fast.

Logs repeat themselves: with the digits taken out, millions of lines have a few hundred forms. Each
new form is looked at once; forms that no rule can match are never looked at again. So most of a log
costs one `bytes.translate`, one `split` and one set operation per block, all in C.
"""

from dataclasses import dataclass

from rankscope.logs.first_error.model import IGNORED, Line, Role
from rankscope.logs.first_error.prefix import read_lines
from rankscope.logs.first_error.rules import RuleBook
from rankscope.logs.first_error.trail import may_step, step_of

DIGITS = b"0123456789"
MOST_FORMS = 200_000
_ALWAYS = (b"traceback", b"another exception occurred", b"direct cause")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line worth reading: index in its block; step when it only tells of a step."""

    index: int
    step: bool


class Sieve:
    """Remembers the forms it has seen; memory is bounded by forgetting them all at once."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        words = {word.encode() for word in book.words} | set(_ALWAYS)
        # A word that contains another needs no search of its own.
        self._words = [w for w in words if not any(o != w and o in w for o in words)]
        self._known: set[bytes] = set()
        self._kept: dict[bytes, bool] = {}

    def sift(self, block: bytes) -> list[Hit]:
        """Return the lines of a block that are worth reading, in order."""
        forms = block.translate(None, DIGITS).split(b"\n")
        distinct = set(forms)
        fresh = distinct - self._known
        if fresh:
            self._learn(fresh, forms, block)
        kept = self._kept
        if kept.keys().isdisjoint(distinct):
            return []
        return [Hit(index, kept[form]) for index, form in enumerate(forms) if form in kept]

    def _learn(self, fresh: set[bytes], forms: list[bytes], block: bytes) -> None:
        if len(self._known) + len(fresh) > MOST_FORMS:
            self._known.clear()
            self._kept.clear()
        self._known |= fresh
        doubtful = self._doubtful(fresh)
        if not doubtful:
            return
        lines = block.split(b"\n")
        for index, form in enumerate(forms):
            if form in doubtful:
                doubtful.discard(form)
                self._judge(form, lines[index])

    def _doubtful(self, fresh: set[bytes]) -> set[bytes]:
        low = b"\n".join(fresh).lower()
        present = [word for word in self._words if word in low]
        found = {form for form in fresh if may_step(form)}
        if present:
            pairs = zip(fresh, low.split(b"\n"), strict=True)
            found |= {form for form, text in pairs if any(word in text for word in present)}
        return found

    def _judge(self, form: bytes, raw: bytes) -> None:
        lines = list(read_lines(1, raw))
        if any(self._matters(line) for line in lines):
            self._kept[form] = False
        elif may_step(form) and any(step_of(line.text) for line in lines):
            self._kept[form] = True

    def _matters(self, line: Line) -> bool:
        """Whether a line, or one that differs from it in digits only, may be more than noise."""
        text = line.text
        if "Traceback" in text or "another exception occurred" in text or "direct cause" in text:
            return True
        if self._book.signs(text):
            return True
        for rule in self._book.candidates(text):
            if rule.counts and rule.role not in IGNORED:
                return True
            if not rule.counts and rule.pattern.search(text):
                return rule.role not in {Role.HARMLESS}
        return False
