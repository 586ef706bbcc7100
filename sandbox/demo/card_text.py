"""A Feishu card (JSON 2.0) as plain text, as far as our cards use it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

Json = Mapping[str, object]

_FONT = re.compile(r"</?font[^>]*>")
_TAG = re.compile(r"<text_tag[^>]*>(.*?)</text_tag>")
_AT = re.compile(r"<at id='?(\w+)'?></at>")
_TIME = re.compile(r"<local_datetime millisecond='(\d+)'[^>]*></local_datetime>")
_BOLD = re.compile(r"\*\*(.+?)\*\*")
_ESCAPE = re.compile(r"&#(\d+);")
_PRINT_ID = re.compile(r"/captures/(\d{19})$")


@dataclass(frozen=True, slots=True)
class Button:
    """A button of a card; `action` and `revision` are what our bot put into it."""

    element_id: str
    label: str
    action: str
    revision: int
    url: str
    disabled: bool

    @property
    def print_id(self) -> str:
        """The capture whose page it opens, or an empty string."""
        found = _PRINT_ID.search(urlsplit(self.url).path)
        return found[1] if found else ""


def card_text(card: Json, names: Mapping[str, str] | None = None) -> str:
    """Return what a person reads on a card, line by line; other messages give their text.

    `names` are those of the people that a card may mention, by open_id.
    """
    if "body" not in card:
        return str(card.get("text", ""))
    text = "\n".join([*_header(_mapping(card.get("header"))), *_elements(card.get("body"))])
    return _AT.sub(lambda found: f"@{(names or {}).get(found[1], found[1])}", text)


def buttons(card: Json) -> list[Button]:
    """Return a card's buttons, disabled ones too."""
    return [_button(element) for element in _walk(card) if element.get("tag") == "button"]


def element_ids(card: Json) -> set[str]:
    """Return the ids of a card's elements."""
    return {str(element["element_id"]) for element in _walk(card) if "element_id" in element}


def _walk(value: object) -> Iterator[Json]:
    if isinstance(value, Mapping):
        yield value
        for item in value.values():
            yield from _walk(item)
    elif isinstance(value, list):
        for item in value:
            yield from _walk(item)


def _button(element: Json) -> Button:
    behaviors = [_mapping(item) for item in _list(element.get("behaviors"))]
    value = next((_mapping(item["value"]) for item in behaviors if "value" in item), {})
    url = next((str(item["default_url"]) for item in behaviors if "default_url" in item), "")
    return Button(
        element_id=str(element.get("element_id", "")),
        label=_plain(element.get("text")),
        action=str(value.get("act", "")),
        revision=int(str(value.get("rev", 0))),
        url=url,
        disabled=bool(element.get("disabled")),
    )


def _header(header: Json) -> Iterator[str]:
    tags = "".join(
        f" [{_plain(_mapping(tag).get('text'))}]" for tag in _list(header.get("text_tag_list"))
    )
    yield f"■ {_plain(header.get('title'))}{tags}"
    subtitle = _plain(header.get("subtitle"))
    if subtitle:
        yield f"  {subtitle}"


def _elements(container: object) -> Iterator[str]:
    row: list[str] = []
    for item in _list(_mapping(container).get("elements")):
        element = _mapping(item)
        if element.get("tag") == "button":
            row.append(_label(_button(element)))
        elif element.get("tag") == "select_static":
            row.append(f"[{_plain(element.get('placeholder'))} ▾]")
        else:
            yield from _element(element)
    if row:
        yield " ".join(row)


def _element(element: Json) -> Iterator[str]:
    tag = element.get("tag")
    if tag == "markdown":
        yield from markdown_text(str(element.get("content", ""))).split("\n")
    elif tag == "hr":
        yield "―" * 24
    elif tag == "table":
        yield from _table(element)
    elif tag == "chart":
        yield _chart(_mapping(element.get("chart_spec")))
    elif tag == "form":
        yield from _elements(element)
    elif tag == "column_set":
        columns = (list(_elements(column)) for column in _list(element.get("columns")))
        yield "  ".join(" ".join(column) for column in columns)
    elif tag == "collapsible_panel":
        yield f"▸ {_plain(_mapping(element.get('header')).get('title'))}"
        yield from (f"  {line}" for line in _elements(element))


def _chart(spec: Json) -> str:
    """Return a chart as its title and its last values."""
    values = [_mapping(one) for one in _list(_mapping(spec.get("data")).get("values"))]
    x, y, by = (str(spec.get(name, "")) for name in ("xField", "yField", "seriesField"))
    first = values[0].get(by) if values else None
    shown = [f"{one.get(x)}: {one.get(y)}" for one in values if one.get(by) == first]
    return f"📈 {_mapping(spec.get('title')).get('text', '')}  … {', '.join(shown[-6:])}"


def _label(button: Button) -> str:
    return f"({button.label})" if button.disabled else f"[{button.label}]"


def _table(element: Json) -> Iterator[str]:
    columns = [_mapping(column) for column in _list(element.get("columns"))]
    names = [str(column.get("name")) for column in columns]
    yield "  " + " | ".join(str(column.get("display_name", "")) for column in columns)
    for row in _list(element.get("rows")):
        yield "  " + " | ".join(_cell(_mapping(row).get(name)) for name in names)


def _cell(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(_mapping(item).get("text", "")) for item in value)
    return str(value)


def markdown_text(markdown: str) -> str:
    """Return Feishu's markdown without its marks."""
    text = _FONT.sub("", markdown.replace("<br>", "\n"))
    text = _TAG.sub(r"[\1]", text)
    text = _TIME.sub(lambda found: _clock(int(found[1]) / 1000), text)
    return _ESCAPE.sub(lambda found: chr(int(found[1])), _BOLD.sub(r"\1", text))


def _clock(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%m-%d %H:%M (UTC)")


def _plain(text: object) -> str:
    return str(_mapping(text).get("content", ""))


def _mapping(value: object) -> Json:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []
