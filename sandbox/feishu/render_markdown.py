"""Markdown of cards to safe HTML: CommonMark, pipe tables and Feishu's own tags.

HTML in a text is shown as text; only Feishu's tags mean something. What comes out passes a
sanitiser that knows no script, no style and no foreign address.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

ZONE: Final = ZoneInfo("Asia/Shanghai")
COLORS: Final = frozenset(
    {
        "red", "orange", "yellow", "green", "lime", "turquoise", "wathet", "blue", "indigo",
        "violet", "purple", "carmine", "grey", "neutral", "default", "white",
    }
)  # fmt: skip
IMAGES: Final = "/emulator/images/"
_TAGS: Final = ("font", "at", "text_tag", "local_datetime", "number_tag", "link", "person", "raw",
                "br", "hr", "a")  # fmt: skip
_TAG = re.compile(rf"<(/?)({'|'.join(_TAGS)})((?:\s[^<>]*?)?)\s*(/?)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.ASCII)
_FORMATS: Final = {
    "date": "%Y-%m-%d",
    "date_num": "%Y-%m-%d",
    "time": "%H:%M",
    "time_sec": "%H:%M:%S",
    "date_time": "%Y-%m-%d %H:%M",
    "date_short": "%m-%d",
    "week": "%a",
    "timezone": "GMT+8",
}
_ALLOWED: Final[dict[str, set[str]]] = {
    "a": {"href"},
    "span": {"class"},
    "time": {"datetime"},
    "img": {"src", "alt", "class"},
    "code": {"class"},
    "table": {"class", "data-page-size"},
    "th": {"class"},
    "td": {"class"},
    "ol": {"start"},
    **{
        tag: set()
        for tag in (
            "p", "br", "hr", "strong", "em", "s", "del", "blockquote", "pre", "ul", "li", "h1",
            "h2", "h3", "h4", "h5", "h6", "thead", "tbody", "tr",
        )
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """What open_ids are called."""

    names: Mapping[str, str] = field(default_factory=dict)
    everybody: str = "所有人"

    def of(self, open_id: str) -> str:
        """Return a name, or the id itself when nobody has it."""
        return self.everybody if open_id == "all" else self.names.get(open_id, open_id)


def color_class(color: str, prefix: str = "c") -> str:
    """Return the class of a Feishu colour such as red or red-500; unknown ones are the default."""
    base = color.strip().lower().split("-")[0]
    return f"{prefix}-{base if base in COLORS else 'default'}"


def at_millisecond(milliseconds: float, pattern: str) -> str:
    """Return a time in China's zone by a strftime pattern; nothing for an impossible time."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, ZONE).strftime(pattern)
    except (ValueError, OverflowError, OSError):
        return ""


def _feishu_tag(state: StateInline, silent: bool) -> bool:
    found = _TAG.match(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("feishu_tag", "", 0)
        token.meta = {
            "name": found[2].lower(),
            "closing": bool(found[1]),
            "attributes": {key: a or b or c for key, a, b, c in _ATTRIBUTE.findall(found[3])},
        }
    state.pos = found.end()
    return True


def _render_tag(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    del renderer, options
    meta, names = tokens[at].meta, env["names"]
    name, given = meta["name"], meta["attributes"]
    if meta["closing"]:
        return {"font": "</span>", "text_tag": "</span>", "number_tag": "</span>", "a": "</a>"}.get(
            name, ""
        )
    return _OPENERS[name](given, names)


def _font(given: Mapping[str, str], names: Names) -> str:
    del names
    return f'<span class="{color_class(given.get("color", ""))}">'


def _tag(given: Mapping[str, str], names: Names) -> str:
    del names
    return f'<span class="tag {color_class(given.get("color", "neutral"), "t")}">'


def _number(given: Mapping[str, str], names: Names) -> str:
    del names
    return f'<span class="tag {color_class(given.get("background_color", "blue"), "t")}">'


def _at(given: Mapping[str, str], names: Names) -> str:
    ids = given.get("ids") or given.get("id") or given.get("user_id") or given.get("email") or ""
    shown = (f"@{html.escape(names.of(one.strip()))}" for one in ids.split(",") if one.strip())
    return " ".join(f'<span class="at">{name}</span>' for name in shown)


def _datetime(given: Mapping[str, str], names: Names) -> str:
    del names
    stamp = given.get("millisecond", "")
    if not stamp.isascii() or not stamp.isdigit():
        return ""
    shown = at_millisecond(int(stamp), _FORMATS.get(given.get("format_type", ""), "%Y-%m-%d %H:%M"))
    return f'<time datetime="{stamp}">{html.escape(shown)}</time>'


def _link(given: Mapping[str, str], names: Names) -> str:
    del names
    url = html.escape(given.get("url") or given.get("href") or "")
    return f'<a href="{url}">{url}</a>'


def _anchor(given: Mapping[str, str], names: Names) -> str:
    del names
    return f'<a href="{html.escape(given.get("href", ""))}">'


def _nothing(given: Mapping[str, str], names: Names) -> str:
    del given, names
    return ""


_OPENERS: Final = {
    "font": _font,
    "text_tag": _tag,
    "number_tag": _number,
    "at": _at,
    "person": _at,
    "local_datetime": _datetime,
    "link": _link,
    "a": _anchor,
    "br": lambda given, names: "<br>" + _nothing(given, names),
    "hr": lambda given, names: "<hr>" + _nothing(given, names),
    "raw": _nothing,
}


def _render_image(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    del renderer, options, env
    token = tokens[at]
    key, alt = str(token.attrs.get("src", "")), html.escape(token.content)
    # An image is named by its key; anything else, such as a foreign address, is not fetched.
    known = re.fullmatch(r"[\w-]+", key, re.ASCII)
    return f'<img class="inline" src="{IMAGES}{key}" alt="{alt}">' if known else alt


def _render_table(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    del renderer, tokens, at, options, env
    return '<table class="grid" data-page-size="5">\n'


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True})
    parser.enable(["table", "strikethrough"])
    parser.inline.ruler.before("autolink", "feishu_tag", _feishu_tag)
    parser.add_render_rule("feishu_tag", _render_tag)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("table_open", _render_table)
    return parser


_PARSER: Final = _parser()


def render_markdown(source: str, names: Names) -> Markup:
    """Return the HTML of a markdown text."""
    rendered = _PARSER.render(source, {"names": names})
    clean = nh3.clean(
        rendered,
        tags=set(_ALLOWED),
        attributes=_ALLOWED,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
        filter_style_properties=set(),
    )
    return Markup(clean)  # noqa: S704 - the sanitiser has just been over it
