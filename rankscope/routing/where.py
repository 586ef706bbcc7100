"""Where in a routes file something is wrong: its line, its route, its field."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Loc = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, and where: ("routes", 1, "hours") is the second route's field hours."""

    loc: Loc
    what: str


def place_of(loc: Loc, text: str, data: Json) -> str:
    """Return ` line 12, route 2 (night), hours`, as far as it is known."""
    line = line_of(text, loc)
    where = f" line {line}" if line else ""
    if loc[:1] == ("routes",) and len(loc) > 1 and isinstance(loc[1], int):
        called = _name_of(data, loc[1])
        where += f", route {loc[1] + 1}{called and f' ({called})'}"
        loc = loc[2:]
    fields = ".".join(str(part + 1) if isinstance(part, int) else part for part in loc)
    return where + (f", {fields}" if fields else "")


def _name_of(data: Json, number: int) -> str:
    try:
        name = data["routes"][number]["name"]
    except (KeyError, IndexError, TypeError):
        return ""
    return name[:80] if isinstance(name, str) else ""


_HEADER = re.compile(r"\s*\[")


def line_of(text: str, loc: Loc) -> int:
    """Return the line, from 1, of a field, else of its table; 0 when the file's form hides it."""
    lines = text.splitlines()
    start = _table_line(lines, loc)
    names = [part for part in loc if isinstance(part, str)]
    for number in range(start, len(lines)):
        if number > start and _HEADER.match(lines[number]) and "escalate" not in lines[number]:
            break
        for name in names[1:] or names:
            if re.match(rf"\s*\"?{re.escape(name)}\"?\s*=", lines[number]):
                return number + 1
    return start + 1 if start or loc[:1] == ("routes",) else 0


def _table_line(lines: Sequence[str], loc: Loc) -> int:
    """Return the index of the line that begins the table of a field."""
    if len(loc) < 2:
        return 0
    if isinstance(loc[1], int):
        header = re.compile(rf"\s*\[\[\s*{re.escape(str(loc[0]))}\s*\]\]")
        found = [number for number, line in enumerate(lines) if header.match(line)]
        return found[loc[1]] if loc[1] < len(found) else 0
    table = re.compile(
        rf"\s*\[\s*{re.escape(str(loc[0]))}(\s*\.\s*\"?{re.escape(loc[1])}\"?)?\s*\]"
    )
    found = [number for number, line in enumerate(lines) if table.match(line)]
    return found[-1] if found else 0
