"""Foreign text on a terminal: what would move the cursor or hide is shown as an escape."""

import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(line: str) -> str:
    r"""Return one line in which control characters, breaks and direction marks show as `\x1b`."""
    if line.isprintable():
        return line
    return "".join(_escaped(c) if unicodedata.category(c) in _HIDDEN else c for c in line)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def visible_json(text: str) -> str:
    """Return JSON in which every such character is escaped as JSON does; line breaks stay.

    Encoders escape only those below a space, which a terminal does not need to be told something.
    """
    if text.isprintable():
        return text
    return "".join(
        _in_json(c) if c != "\n" and unicodedata.category(c) in _HIDDEN else c for c in text
    )


def _in_json(char: str) -> str:
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
