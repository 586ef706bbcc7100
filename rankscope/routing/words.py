"""What is wrong with a field of a routes file, and what to do about it, in plain words."""

from pydantic_core import ErrorDetails

from rankscope.routing.model import CHAT_ID, OPEN_ID

_LETTERS = 60


def words_of(error: ErrorDetails) -> str:
    """Return one of pydantic's errors as what is wrong and what to do."""
    kind, given, known = str(error["type"]), _shown(error.get("input")), error.get("ctx") or {}
    field = error["loc"][-1] if error["loc"] else ""
    told = {
        "extra_forbidden": f"there is no field {field!r}; correct its name or take it out",
        "missing": "it is missing; add it",
        "too_short": "it is empty; write at least one",
        "string_too_short": "it is empty; write something",
        "string_too_long": f"{given} is too long; at most {known.get('max_length')} letters",
        "literal_error": f"{given} is none of {known.get('expected')}; write one of these",
        "greater_than_equal": f"{given} is too small; write at least {known.get('ge')}",
        "less_than_equal": f"{given} is too large; write at most {known.get('le')}",
    }
    if kind == "string_pattern_mismatch":
        return _pattern(str(known.get("pattern")), given)
    if kind == "value_error":
        return str(error["msg"]).removeprefix("Value error, ")
    return told.get(kind) or f"{given} has the wrong form: {error['msg']}; see docs/routing.md"


def _pattern(pattern: str, given: str) -> str:
    meant = {
        OPEN_ID: "open_id of a person; write the ou_… id that Feishu gives for the app",
        CHAT_ID: "chat id; write the oc_… id of the group",
    }
    return f"{given} is no {meant.get(pattern, f'text of the form {pattern}')}"


def _shown(value: object) -> str:
    told = repr(value)
    return told if len(told) <= _LETTERS else f"{told[:_LETTERS]}…"
