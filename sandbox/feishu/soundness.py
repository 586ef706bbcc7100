"""Is a JSON value one that can be stored, walked and sent on? Hostile ones must break nothing."""

import json
from typing import Final

MOST_LEVELS: Final = 100


def is_sound(value: object) -> bool:
    """Whether a value is at most 100 levels deep and valid Unicode (no lone surrogates)."""
    if not _shallow(value, MOST_LEVELS):
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _shallow(value: object, levels: int) -> bool:
    if isinstance(value, dict):
        return levels > 0 and all(_shallow(item, levels - 1) for item in value.values())
    if isinstance(value, list):
        return levels > 0 and all(_shallow(item, levels - 1) for item in value)
    return True
