"""How long a silence lasts, as people write it."""

import re

DEFAULT = "30m"
CHOICES = ("30m", "2h", "end")
"""What the card offers; `off` joins them while a job is silenced."""
OFF = "off"
LONGEST_S = 7 * 86_400.0

_UNITS = {
    "m": 60,
    "min": 60,
    "分": 60,
    "分钟": 60,
    "h": 3600,
    "小时": 3600,
    "d": 86_400,
    "天": 86_400,
}
_LENGTH = re.compile(r"(?P<count>\d{1,4})(?P<unit>[a-z]+|[分小时钟天]+)")
_END = frozenset({"end", "结束", "到结束"})
_OFF = frozenset({OFF, "关", "关闭", "取消"})


def is_off(word: str) -> bool:
    """Whether a word says that something is to end."""
    return word.lower() in _OFF


def parse_duration(word: str) -> float | None:
    """Return the seconds in `30m`, `2h` or `3天`, 0 for `end`, None for `off`.

    Raises ValueError for anything else, and for more than a week.
    """
    plain = word.lower()
    if is_off(plain):
        return None
    if plain in _END:
        return 0.0
    found = _LENGTH.fullmatch(plain)
    seconds = int(found["count"]) * _UNITS.get(found["unit"], 0) if found else 0
    if not 0 < seconds <= LONGEST_S:
        raise ValueError(word)
    return float(seconds)
