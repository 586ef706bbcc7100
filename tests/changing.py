"""Changes frozen data, be it a dataclass or a struct of msgspec, as copy.replace of 3.13 does."""

from dataclasses import replace as replace_dataclass
from typing import Any, TypeVar

import msgspec

_Data = TypeVar("_Data")


def replace(data: _Data, **changes: Any) -> _Data:
    """Return data with these fields changed."""
    if isinstance(data, msgspec.Struct):
        return msgspec.structs.replace(data, **changes)
    return replace_dataclass(data, **changes)  # type: ignore[type-var]
