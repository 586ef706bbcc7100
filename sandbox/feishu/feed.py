"""What happens in the chats, told to every open page."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["message", "chats", "subscription", "reset"]
BACKLOG: Final = 1000


@dataclass(frozen=True, slots=True)
class Happening:
    """Something changed; subject is the id of what did."""

    kind: Kind
    subject: str = ""


@dataclass(slots=True)
class Feed:
    """Passes happenings to everybody who listens; a listener that stalls is dropped."""

    _listeners: set["asyncio.Queue[Happening | None]"] = field(default_factory=set)
    _closed: bool = False

    def tell(self, kind: Kind, subject: str = "") -> None:
        """Tell all listeners."""
        for queue in tuple(self._listeners):
            if queue.qsize() >= BACKLOG:
                self._listeners.discard(queue)
                queue.put_nowait(None)
            else:
                queue.put_nowait(Happening(kind, subject))

    async def listen(self) -> AsyncIterator[Happening]:
        """Yield what happens from now on, until the feed is closed."""
        queue: asyncio.Queue[Happening | None] = asyncio.Queue()
        self._listeners.add(queue)
        try:
            while not self._closed and (happening := await queue.get()):
                yield happening
        finally:
            self._listeners.discard(queue)

    def close(self) -> None:
        """End all listening, so that the server can stop."""
        self._closed = True
        for queue in self._listeners:
            queue.put_nowait(None)
