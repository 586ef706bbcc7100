"""A routes file as text, read and checked; every problem is named with its line, route and field.

The file is TOML, which Python reads by itself.
"""

import copy
import re
import tomllib
from collections.abc import Iterator, Sequence

from pydantic import ValidationError

from rankscope.errors import UnusableInput
from rankscope.routing.model import CHAT_ID, OPEN_ID, Book, Route
from rankscope.routing.people import is_known
from rankscope.routing.where import Json, Loc, Problem, place_of
from rankscope.routing.words import words_of

SHOWN = 100


def parse_routes(text: str, name: str = "routes file") -> Book:
    """Return a checked routes file; raises UnusableInput that names every problem."""
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # Also numbers and nesting beyond Python's.
        raise UnusableInput(f"{name}: not valid TOML: {error}.") from None
    try:
        book = Book.model_validate(data)
    except ValidationError as error:
        found = [Problem(one["loc"], words_of(one)) for one in error.errors()]
        raise _unusable([*found, *_rest(data, found)], text, name, data) from None
    problems = list(_crossed(book))
    if problems:
        raise _unusable(problems, text, name, data)
    return book


STAND_INS: dict[str, object] = {
    "people": "ou_0",
    "chats": {"id": "oc_0"},
    "oncall": {"people": ["ou_0"], "start": "2026-01-01"},
    "routes": {"chats": ["oc_0"]},
}
"""What takes the place of a part that cannot be read, so that the others can be looked at."""


def _rest(data: Json, found: Sequence[Problem]) -> list[Problem]:
    """Return what is wrong with how the readable parts of a file name each other."""
    parts = copy.deepcopy(data)
    for table, *rest in {one.loc[:2] for one in found}:
        if not rest:
            parts.pop(str(table), None)
            continue
        stand_in = copy.deepcopy(STAND_INS.get(str(table)))
        if isinstance(stand_in, dict) and table == "routes":
            stand_in["name"] = f"route {rest[0]}"
        try:
            parts[str(table)][rest[0]] = stand_in
        except (KeyError, IndexError, TypeError):
            return []
    try:
        return list(_crossed(Book.model_validate(parts)))
    except ValidationError:
        return []


def _unusable(problems: Sequence[Problem], text: str, name: str, data: Json) -> UnusableInput:
    lines = [f"{name}{place_of(one.loc, text, data)}: {one.what}." for one in problems[:SHOWN]]
    if len(problems) > SHOWN:
        lines.append(f"… and {len(problems) - SHOWN} problems more.")
    return UnusableInput("\n".join(lines), "docs/routing.md describes the file.")


# What needs more than one part of the file to see.


def _crossed(book: Book) -> Iterator[Problem]:
    seen: set[str] = set()
    for number, route in enumerate(book.routes):
        if route.name in seen:
            yield Problem(("routes", number, "name"), f"another route is called {route.name!r} too")
        seen.add(route.name)
        yield from _unknown_chats(book, number, route)
        yield from _unknown_people(book, ("routes", number, "mention"), route.mention)
        for step_number, step in enumerate(route.escalate):
            loc = ("routes", number, "escalate", step_number, "people")
            yield from _unknown_people(book, loc, step.people)
    yield from _unknown_members(book)


def _unknown_chats(book: Book, number: int, route: Route) -> Iterator[Problem]:
    for chat in route.chats:
        if chat not in book.chats and not re.fullmatch(CHAT_ID, chat):
            loc = ("routes", number, "chats")
            yield Problem(loc, f"{chat!r} is neither in [chats] nor an oc_… id")


def _unknown_people(book: Book, loc: Loc, words: Sequence[str]) -> Iterator[Problem]:
    for word in words:
        if not is_known(book, word):
            yield Problem(
                loc,
                f"{word!r} is nobody: write owner, oncall:NAME with [oncall.NAME], a name of "
                "[people], or an ou_… id",
            )


def _unknown_members(book: Book) -> Iterator[Problem]:
    for name, rota in book.oncall.items():
        for person in rota.people:
            if person not in book.people and not re.fullmatch(OPEN_ID, person):
                loc = ("oncall", name, "people")
                yield Problem(loc, f"{person!r} is neither in [people] nor an ou_… id")
