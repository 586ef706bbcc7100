"""Find the few lines worth reading in a block of a log, fast.

Logs repeat themselves: with the digits taken out, millions of lines have a few hundred forms. Each
new form is looked at once; forms that no rule can match are never looked at again. So most of a log
costs one `bytes.translate`, one `split` and one set operation per block, all in C.
"""

import re
from dataclasses import dataclass

from rankscope.logs.first_error.model import Role
from rankscope.logs.first_error.prefix import joined, last_piece
from rankscope.logs.first_error.rules import Rule, RuleBook
from rankscope.logs.first_error.trail import may_step, step_of

DIGITS = b"0123456789"
MOST_FORMS = 200_000
_ALWAYS = (b"traceback", b"another exception occurred", b"direct cause")
_TRACEBACK = re.compile(r"Traceback|another exception occurred|direct cause")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line worth reading: its index in the block, and the rules it may match; only tells of a
    step when there are none."""

    index: int
    rules: tuple[Rule, ...]
    traceback: bool = False

    @property
    def is_step(self) -> bool:
        """Whether the line only tells of a step."""
        return not self.rules and not self.traceback


@dataclass(frozen=True, slots=True)
class _Form:
    rules: tuple[Rule, ...]
    traceback: bool


class Sieve:
    """Remembers the forms it has seen; memory is bounded by forgetting them all at once."""

    def __init__(self, book: RuleBook) -> None:
        self._book = book
        words = {word.encode() for word in book.words} | set(_ALWAYS)
        # A word that contains another needs no search of its own.
        self._words = [w for w in words if not any(o != w and o in w for o in words)]
        self._known: set[bytes] = set()
        self._kept: dict[bytes, _Form] = {}

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
        return [
            Hit(index, kept[form].rules, kept[form].traceback)
            for index, form in enumerate(forms)
            if form in kept
        ]

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
        text = joined(raw)
        rules = tuple(rule for rule in self._book.suspects(text))
        traceback = _TRACEBACK.search(text) is not None
        if traceback or _matter(rules):
            self._kept[form] = _Form(rules, traceback)
        elif may_step(form) and step_of(last_piece(raw)):
            self._kept[form] = _Form((), traceback=False)


def _matter(rules: tuple[Rule, ...]) -> bool:
    """Whether a line that may match these rules can be more than harmless."""
    return any(rule.role is not Role.HARMLESS for rule in rules)
