"""The part of lark-oapi's answers that we read, since the SDK has no types we could check."""

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from rankscope.feishu.errors import FeishuUnavailable


class Raw(Protocol):
    """The HTTP answer."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


class Answer(Protocol):
    """What every typed call of the SDK returns."""

    msg: str | None
    raw: Raw
    data: object


def code_of(answer: Answer) -> int | None:
    """Return the body's code, which the SDK overlooks when the Content-Type is in lower case.

    Raises msgspec.DecodeError when the body is no JSON object.
    """
    return msgspec.json.decode(answer.raw.content, type=dict[str, Any]).get("code")


def field_of(answer: Answer, name: str) -> str:
    """Return a field of the answer's data; raises FeishuUnavailable when it is not there."""
    value = getattr(answer.data, name, None)
    if not value:
        raise FeishuUnavailable(f"Feishu accepted the call, but its answer has no {name}.")
    return str(value)
