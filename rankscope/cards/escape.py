"""Make foreign text harmless: one line, nothing invisible, no markdown, no tags, bounded length."""

import re
import unicodedata

# Feishu's own list of characters to write as entities, and `&` itself. Without it a job name could
# hold `<at id=all></at>`, a link, or an emoji code such as `:DONE:`.
_MARKDOWN = re.compile(r"[&<>*_`\[\]()~$#!\\|:+\"'{}]")
# These start a list, a rule or a heading, but only where a line begins.
_LINE_START = re.compile(r"^(?:[-=]|\d+(?=\.))")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_PERSON = re.compile(r"ou_[A-Za-z0-9_]+")


def plain(text: str, limit: int = 200) -> str:
    """Return one visible line of at most `limit` characters, the end cut off with an ellipsis.

    Control characters, direction marks, zero-width characters and broken surrogates are dropped.
    """
    spaced = re.sub(r"\s+", " ", text.lstrip()[: limit * 4])
    visible = "".join(c for c in spaced if unicodedata.category(c) not in _INVISIBLE).strip()
    cut = len(visible) > limit or len(text.strip()) > limit * 4
    return visible[: limit - 1] + "…" if cut else visible


def escape_markdown(text: str, limit: int = 200) -> str:
    """Return foreign text as harmless Feishu markdown; the limit counts visible characters."""
    line = plain(text, limit)
    start = _LINE_START.match(line)
    if start:
        last = start.end() - 1
        return _entities(line[:last]) + f"&#{ord(line[last])};" + _entities(line[last + 1 :])
    return _entities(line)


def _entities(text: str) -> str:
    return _MARKDOWN.sub(lambda found: f"&#{ord(found[0])};", text)


def mention(open_id: str) -> str:
    """Return the tag that mentions one person, or nothing when the id is not an open_id."""
    return f"<at id={open_id}></at>" if _PERSON.fullmatch(open_id) else ""


def short_frame(frame: str, limit: int = 80) -> str:
    """Shorten `name (file:line)` for a card: the file's last two parts, then at most `limit`.

    A phone shows about 40 characters a line; the page has the whole path.
    """
    name, opening, place = plain(frame, 2000).rpartition(" (")
    if not opening:
        return plain(frame, limit)
    parts = place.rsplit("/", 2)
    return plain(f"{name} ({'/'.join(parts[-2:])}", limit)
