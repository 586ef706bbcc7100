"""Which uuid sent which message: at most one message for a uuid within an hour."""

from typing import Final

from sandbox.feishu.clock import Clock
from sandbox.feishu.codes import ApiError

REMEMBERED_S: Final = 3600.0
MOST_CHARACTERS: Final = 50


class SentOnce:
    """Remembers the message of each uuid for an hour (im-v1/message/create)."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sent: dict[str, tuple[str, float]] = {}

    def message_of(self, uuid: str) -> str | None:
        """Return the message that a uuid sent, if any; raises ApiError for one that is too long."""
        if len(uuid) > MOST_CHARACTERS:
            raise ApiError(230001, f"uuid is longer than {MOST_CHARACTERS} characters")
        message_id, at = self._sent.get(uuid, ("", 0.0))
        return message_id if uuid and self._clock.now() - at < REMEMBERED_S else None

    def remember(self, uuid: str, message_id: str) -> None:
        """Note that a uuid has sent a message."""
        if uuid:
            self._sent[uuid] = (message_id, self._clock.now())
