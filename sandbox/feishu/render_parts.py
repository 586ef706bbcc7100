"""Small pieces that all components of a card share when they become HTML."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from rankscope.model.text import Language
from sandbox.feishu.render_markdown import Names, color_class, render_markdown

Json = Mapping[str, object]
TEXT_SIZES: Final = frozenset(
    {
        "heading-0", "heading-1", "heading-2", "heading-3", "heading-4", "heading", "normal",
        "notation", "xxxx-large", "xxx-large", "xx-large", "x-large", "large", "medium", "small",
        "x-small",
    }
)  # fmt: skip
_SIZES: Final = (
    ("margin", "margin"),
    ("padding", "padding"),
    ("vertical_spacing", "gap"),
    ("horizontal_spacing", "gap-x"),
    ("width", "width"),
    ("height", "height"),
)
_LOCALES: Final[Mapping[Language, str]] = {"zh": "zh_cn", "en": "en_us"}


@dataclass(frozen=True, slots=True)
class Look:
    """Whose names are known, and which language the reader wants."""

    names: Names
    language: Language = "zh"


def listed(value: object) -> list[Json]:
    """Return the objects in a list; nothing for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def mapping(value: object) -> Json:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def content_of(node: object, look: Look) -> str:
    """Return the text of a text object in the reader's language."""
    shape = mapping(node)
    translated = mapping(shape.get("i18n_content")).get(_LOCALES[look.language])
    return str(translated or shape.get("content") or "")


def text(node: object, look: Look) -> Markup:
    """Return a text object; lark_md and markdown are rendered, plain text is escaped."""
    shape, shown = mapping(node), content_of(node, look)
    kind = shape.get("tag")
    if kind in {"lark_md", "markdown"}:
        return Markup('<div class="md">{}</div>').format(render_markdown(shown, look.names))
    return Markup('<span class="plain {} {}">{}</span>').format(
        size_class(shape.get("text_size")),
        color_class(str(shape.get("text_color", "default"))),
        shown,
    )


def size_class(size: object) -> str:
    """Return the class of a text size."""
    return f"ts-{size if size in TEXT_SIZES else 'normal'}"


def align_class(node: Json, key: str, prefix: str) -> str:
    """Return the class of an alignment."""
    value = node.get(key)
    return f"{prefix}-{value}" if value in {"left", "center", "right", "top", "bottom"} else ""


def sizes(node: Json) -> Markup:
    """Return the data attributes from which the page makes styles."""
    given = ((name, node.get(key)) for key, name in _SIZES)
    return Markup("").join(
        Markup(' data-{}="{}"').format(name, value) for name, value in given if value
    )


def safe_link(url: object) -> str:
    """Return a web address, or an empty string for anything else, such as javascript:."""
    shown = str(url or "")
    return shown if shown.startswith(("http://", "https://")) else ""
