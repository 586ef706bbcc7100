"""The time of day as a clock that only goes forward, whatever is done to the system's."""

import time


class Clock:
    """Starts with the time of day and goes on evenly, so that a corrected clock is no silence."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """Return seconds since the epoch."""
        return time.monotonic() + self._offset
