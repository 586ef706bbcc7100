"""JSON from outside, decoded so that nothing worse than a DecodeError can come of it."""

from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode_json(raw: bytes | str, kind: type[T]) -> T:
    """Return JSON as a `kind`; raises msgspec.DecodeError, also for text that nests too deep.

    msgspec itself raises RecursionError for deep nesting and UnicodeDecodeError for bytes that are
    not UTF-8, neither of which is its DecodeError.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except RecursionError:
        raise msgspec.DecodeError("JSON nests too deep") from None
    except UnicodeDecodeError:
        raise msgspec.DecodeError("JSON is not UTF-8") from None
