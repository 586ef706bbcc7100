"""What people are called, as far as Feishu told; kept for a day, since names change."""

from datetime import timedelta
from typing import cast

from rankscope.store.state import PREFIX, State

KEPT = timedelta(days=1)


def remember_name(state: State, open_id: str, name: str) -> None:
    """Remember a person's name; an empty one says that Feishu would not tell."""
    if open_id:
        state.redis.set(_key(open_id), name, ex=KEPT)


def is_name_known(state: State, open_id: str) -> bool:
    """Whether Feishu has been asked for a person's name lately."""
    return bool(state.redis.exists(_key(open_id)))


def name_of(state: State, open_id: str) -> str:
    """Return a person's name, or the open_id where the name is not known."""
    raw = cast("bytes | None", state.redis.get(_key(open_id))) if open_id else None
    return (raw.decode() if raw else "") or open_id


def _key(open_id: str) -> str:
    return f"{PREFIX}:name:{open_id}"
