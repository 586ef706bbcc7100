"""Find the few lines worth reading in a block of a log, fast.

Logs repeat themselves: with the digits taken out, millions of lines have a few hundred forms. Each
new form is looked at once; forms that no rule can match are never looked at again. So most of a log
costs one `bytes.translate`, one `split` and one set operation per block, all in C.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rankscope.logs.first_error.model import Role
from rankscope.logs.first_error.prefix import joined, last_piece, shortened
from rankscope.logs.first_error.rules import Rule, RuleBook
from rankscope.logs.first_error.trail import HINTS, may_step, step_of

DIGITS = b"0123456789"
MOST_FORMS = 200_000
FEW = 16
_ALWAYS = (b"traceback", b"another exception occurred", b"direct cause")
# Parts of words that many harmless lines contain; the other part of a phrase is looked for.
_COMMON = frozenset(
    b"access address after available cause check client code command compiled container "
    b"continuing could cuda device direct examples file files format found from initializing "
    b"link loaded loading memory metadata model module not num number of operations optimization "
    b"out port process random required return running schedule service setting size status "
    b"successfully such thread tokenizer training using version weights with worker world".split()
)
_TRACEBACK = re.compile(r"Traceback|another exception occurred|direct cause")


@dataclass(frozen=True, slots=True)
class Hit:
    """A line worth reading: its index in the block, and the rules it may match."""

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
        self._tokens = Tokens((*(word.encode() for word in book.words), *_ALWAYS))
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
            words = doubtful.pop(form, None)
            if words is not None:
                self._judge(form, lines[index], words)

    def _doubtful(self, fresh: set[bytes]) -> dict[bytes, set[str]]:
        """Return the forms that contain a rule's word or may tell of a step, with their words."""
        low = b"\n".join(fresh).lower()
        telling = self._tokens.telling(low)
        hints = [hint for hint in HINTS if hint in low]
        found: dict[bytes, set[str]] = {}
        if not telling and not hints:
            return found
        for form, text in zip(fresh, low.split(b"\n"), strict=True):
            words = _words_in(text, telling)
            if words:
                found[form] = {word.decode() for word in words}
            elif any(hint in text for hint in hints) and may_step(text):
                found[form] = set()
        return found

    def _judge(self, form: bytes, raw: bytes, words: set[str]) -> None:
        text = "\n".join(shortened(line) for line in joined(raw).split("\n"))
        rules = self._book.suspects(text, words) if words else ()
        traceback = _TRACEBACK.search(text) is not None
        if traceback or _matter(rules):
            self._kept[form] = _Form(rules, traceback)
        elif may_step(form.lower()) and step_of(last_piece(raw)):
            self._kept[form] = _Form((), traceback=False)


class Tokens:
    """Knows which tokens (between blanks) can be part of a rule's word: prose has few new ones."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self._words_of: dict[bytes, list[bytes]] = {}
        for word in words:
            part = max(word.split(), key=lambda p: (p not in _COMMON and len(p) > 3, len(p)))
            self._words_of.setdefault(part, []).append(word)
        self._known: set[bytes] = set()
        self._telling: dict[bytes, tuple[bytes, ...]] = {}

    def telling(self, text: bytes) -> dict[bytes, tuple[bytes, ...]]:
        """Return the tokens of a text that may be part of words, with these."""
        tokens = set(text.split())
        if len(self._known) + len(tokens) > MOST_FORMS:
            self._known.clear()
            self._telling.clear()
        fresh = tokens - self._known
        self._known |= fresh
        together = b" ".join(fresh)
        present = [part for part in self._words_of if part in together]
        for token in fresh if present else ():
            words = [w for part in present if part in token for w in self._words_of[part]]
            if words:
                self._telling[token] = tuple(words)
        return {token: self._telling[token] for token in tokens & self._telling.keys()}


def _words_in(text: bytes, telling: dict[bytes, tuple[bytes, ...]]) -> set[bytes]:
    """Return the rules' words in a line; few tokens are searched one by one, many all at once."""
    if len(telling) <= FEW:
        tokens = [token for token in telling if token in text]
    else:
        tokens = [token for token in text.split() if token in telling]
    return {word for token in tokens for word in telling[token] if word in text}


def _matter(rules: tuple[Rule, ...]) -> bool:
    """Whether a line that may match these rules can be more than harmless."""
    return any(rule.role is not Role.HARMLESS for rule in rules)
