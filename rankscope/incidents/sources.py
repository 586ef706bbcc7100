"""Whether anything tells of hangs at all: without it no capture starts by itself."""

from typing import cast

from rankscope.model.event import Event
from rankscope.settings import Settings
from rankscope.store.state import PREFIX, State

WATCHER = "rankscope-watch"
_KEY = f"{PREFIX}:hang-source"
_TELLING = frozenset({"job.hang", "job.slow", "job.resumed", "job.slow_recovered"})


def note_source(state: State, event: Event) -> None:
    """Remember who tells of hangs: a log watcher does, even while nothing hangs."""
    if event.source == WATCHER or event.type in _TELLING or event.state in {"hang", "slow"}:
        state.redis.set(_KEY, event.source, ex=state.ttl)


def hang_source(state: State) -> str:
    """Return the source that told of hangs last, empty when none has within the retention time."""
    raw = cast("bytes | None", state.redis.get(_KEY))
    return raw.decode() if raw else ""


def lacks_hang_source(state: State, settings: Settings) -> bool:
    """Whether captures are to start by themselves and nobody has ever told of a hang."""
    return bool(settings.auto_capture) and not hang_source(state)
