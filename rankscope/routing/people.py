"""From the words of a routes file to people's open_ids; pure.

Only open_ids of the file itself, and a job owner's that has their exact form, are ever returned, so
that no event can have anybody else mentioned.
"""

import re
from collections.abc import Iterable
from datetime import datetime

from rankscope.routing.model import ON_CALL, OPEN_ID, OWNER, Book
from rankscope.routing.oncall import on_call

_OPEN_ID = re.compile(OPEN_ID)


def people_of(book: Book, words: Iterable[str], owner: str, at: datetime) -> tuple[str, ...]:
    """Return the open_ids that words such as `owner` and `oncall:infra` stand for, each once.

    A word that stands for nobody, such as the owner of a job without one, is left out.
    """
    found = (person_of(book, word, owner, at) for word in words)
    return tuple(dict.fromkeys(filter(None, found)))


def person_of(book: Book, word: str, owner: str, at: datetime) -> str:
    """Return the open_id that one word stands for, or an empty string."""
    if word == OWNER:
        return _named(book, owner)
    if word.startswith(ON_CALL):
        rota = book.oncall.get(word.removeprefix(ON_CALL))
        return _named(book, on_call(book, rota, at).person) if rota else ""
    return _named(book, word)


def is_known(book: Book, word: str) -> bool:
    """Whether a word can stand for somebody."""
    if word.startswith(ON_CALL):
        return word.removeprefix(ON_CALL) in book.oncall
    return word == OWNER or bool(_named(book, word))


def _named(book: Book, name: str) -> str:
    is_open_id = _OPEN_ID.fullmatch(name) and not name.endswith("\n")
    return book.people.get(name) or (name if is_open_id else "")
