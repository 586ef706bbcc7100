"""Tables of cards to HTML."""

from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup

from sandbox.feishu.render_markdown import Names, at_millisecond, color_class, render_markdown

Json = Mapping[str, object]
_DATE_PARTS: Final = (
    ("YYYY", "%Y"), ("MM", "%m"), ("DD", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"),
)  # fmt: skip


def render_table(table: Json, names: Names) -> Markup:
    """Return a table with all its rows; the page shows page_size of them at a time."""
    columns = [column for column in _list(table.get("columns")) if isinstance(column, dict)]
    rows = [row for row in _list(table.get("rows")) if isinstance(row, dict)]
    style = table.get("header_style")
    shaded = isinstance(style, dict) and style.get("background_style") == "grey"
    head = Markup("").join(_cell("th", column, _title(column)) for column in columns)
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                _cell("td", column, render_cell(row.get(str(column.get("name"))), column, names))
                for column in columns
            )
        )
        for row in rows
    )
    return Markup(
        '<div class="scroll"><table class="grid rows-{}{}{}" data-page-size="{}">'
        "<thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>"
    ).format(
        _height(table.get("row_height")),
        " frozen" if table.get("freeze_first_column") else "",
        " shaded" if shaded else "",
        table.get("page_size") or 5,
        head,
        body,
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _height(value: object) -> str:
    return str(value) if value in {"low", "middle", "high", "auto"} else "low"


def _title(column: Json) -> str:
    return str(column.get("display_name") or column.get("name") or "")


def _cell(tag: str, column: Json, inner: object) -> Markup:
    align = column.get("horizontal_align", "left")
    known = align if align in {"left", "center", "right"} else "left"
    width = column.get("width", "auto")
    return Markup('<{0} class="a-{1}" data-width="{2}">{3}</{0}>').format(tag, known, width, inner)


def render_cell(value: object, column: Json, names: Names) -> Markup:
    """Return one cell by the column's data type."""
    if value is None:
        return Markup("")
    kind = str(column.get("data_type", "text"))
    return _KINDS.get(kind, _text)(value, column, names)


def _text(value: object, column: Json, names: Names) -> Markup:
    del column, names
    return Markup("{}").format(str(value))


def _markdown(value: object, column: Json, names: Names) -> Markup:
    del column
    return Markup('<div class="md">{}</div>').format(render_markdown(str(value), names))


def _options(value: object, column: Json, names: Names) -> Markup:
    del column, names
    options = [option for option in _list(value) if isinstance(option, dict)]
    return Markup(" ").join(
        Markup('<span class="tag {}">{}</span>').format(
            color_class(str(option.get("color", "neutral")), "t"), option.get("text", "")
        )
        for option in options
    )


def _number(value: object, column: Json, names: Names) -> Markup:
    del names
    given = column.get("format")
    form = given if isinstance(given, dict) else {}
    if not isinstance(value, int | float):
        return Markup("{}").format(value)
    separator = "," if form.get("separator") else ""
    precision = form.get("precision")
    shown = (
        f"{value:{separator}.{precision}f}"
        if isinstance(precision, int)
        else f"{value:{separator}}"
    )
    return Markup("{}{}").format(form.get("symbol", ""), shown)


def _date(value: object, column: Json, names: Names) -> Markup:
    del names
    pattern = str(column.get("date_format", "YYYY/MM/DD")).replace("%", "%%")
    for part, directive in _DATE_PARTS:
        pattern = pattern.replace(part, directive)
    shown = at_millisecond(value, pattern) if isinstance(value, int | float) else str(value)
    return Markup("{}").format(shown)


def _persons(value: object, column: Json, names: Names) -> Markup:
    del column
    people = value if isinstance(value, list) else [value]
    return Markup(" ").join(
        Markup('<span class="at">{}</span>').format(names.of(str(person))) for person in people
    )


_KINDS: Final[Mapping[str, Callable[[object, Json, Names], Markup]]] = {
    "markdown": _markdown,
    "lark_md": _markdown,
    "options": _options,
    "number": _number,
    "date": _date,
    "persons": _persons,
}
