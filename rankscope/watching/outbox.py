"""Events that the bot does not have yet, in order; tried again with growing pauses."""

import random
from collections import deque
from collections.abc import Callable, Iterable

from rankscope.model.event import Event
from rankscope.watching.post import NotNow, Poster, Refused, RefusedAll

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0

Tell = Callable[..., None]
"""Called with the id of a message and its parameters."""


class Outbox:
    """Sends the oldest first, so that the bot hears of a hang before its end."""

    def __init__(self, poster: Poster, tell: Tell, waiting: Iterable[Event] = ()) -> None:
        self._poster = poster
        self._tell = tell
        self._events = deque(waiting)
        self._tries = 0
        self._next_try = 0.0

    @property
    def events(self) -> tuple[Event, ...]:
        """What is still to be sent."""
        return tuple(self._events)

    def put(self, event: Event) -> None:
        """Take in an event; it is sent at the next `send`."""
        self._events.append(event)

    def send(self, now: float) -> bool:
        """Send what can be sent; whether anything left the box. Raises RefusedAll."""
        before = len(self._events)
        while self._events and now >= self._next_try and self._send_one(now):
            self._tries = 0
        return len(self._events) < before

    def _send_one(self, now: float) -> bool:
        event = self._events[0]
        try:
            status = self._poster.post(event)
        except NotNow as problem:
            self._tries += 1
            wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2 ** min(self._tries, 10))
            # Many watchers hear of a bot's return at once.
            self._next_try = now + wait * random.uniform(0.5, 1.0)  # noqa: S311
            self._tell("watch-retrying", problem=problem, waiting=len(self._events))
            return False
        except RefusedAll:
            raise
        except Refused as problem:
            self._tell("watch-refused", type=event.type, id=event.id, problem=problem)
        else:
            self._tell(f"watch-event-{status}", type=event.type, id=event.id)
        self._events.popleft()
        return True
