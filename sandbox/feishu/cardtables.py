"""Rules for the rows of a card's table; codes 200914 and 200915."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sandbox.feishu.cardrules import Problem

BAD_VALUE: Final = 200914
BAD_KEYS: Final = 200915


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_options(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and isinstance(item.get("text"), str)
        and set(item) <= {"text", "color"}
        for item in value
    )


def _is_people(value: object) -> bool:
    many = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, str) or many


_FITS: Final[Mapping[str, Callable[[object], bool]]] = {
    "number": _is_number,
    "date": _is_number,
    "text": _is_text,
    "lark_md": _is_text,
    "markdown": _is_text,
    "options": _is_options,
    "persons": _is_people,
}


def table_problems(table: Mapping[str, object], path: str) -> Iterator[Problem]:
    """Yield rows whose keys are not the column names or whose values are of another type."""
    columns, rows = table.get("columns"), table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return
    types = {
        str(column.get("name")): str(column.get("data_type", "text"))
        for column in columns
        if isinstance(column, dict)
    }
    names = Counter(str(column.get("name")) for column in columns if isinstance(column, dict))
    for name, times in names.items():
        if times > 1:
            yield Problem(BAD_KEYS, f"the column {name} is there {times} times", path)
    for number, row in enumerate(rows):
        if isinstance(row, dict):
            yield from _row_problems(row, types, f"{path}.rows[{number}]")


def _row_problems(
    row: Mapping[str, object], types: Mapping[str, str], path: str
) -> Iterator[Problem]:
    if set(row) != set(types):
        different = ", ".join(sorted(set(row) ^ set(types)))
        yield Problem(BAD_KEYS, f"row keys and column names differ: {different}", path)
    for name, value in row.items():
        fits = _FITS.get(types.get(name, ""))
        if fits is not None and not fits(value):
            what = f"{name} is not a value of type {types[name]}"
            yield Problem(BAD_VALUE, what, path)
