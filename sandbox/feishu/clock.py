"""The emulator's time, which tests may move forward."""

import time


class Clock:
    """Seconds since the epoch: the host's time plus what was skipped."""

    def __init__(self) -> None:
        self.skipped_s = 0.0

    def now(self) -> float:
        """Return the emulator's time in seconds since the epoch."""
        return time.time() + self.skipped_s

    def now_ms(self) -> int:
        """Return the emulator's time in milliseconds since the epoch."""
        return round(self.now() * 1000)

    def advance(self, seconds: float) -> None:
        """Skip some seconds, so that tokens, cards and windows grow old at once."""
        self.skipped_s += seconds


class StoppedClock(Clock):
    """A clock that moves only when told; for tests."""

    def __init__(self, start_s: float = 1_760_000_000.0) -> None:
        super().__init__()
        self.start_s = start_s

    def now(self) -> float:
        """Return the start plus what was skipped, in seconds since the epoch."""
        return self.start_s + self.skipped_s
