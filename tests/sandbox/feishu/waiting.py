"""Waiting for what happens in another thread or process."""

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def until(look: Callable[[], Value], timeout_s: float = 10.0) -> Value:
    """Return the first true value."""
    deadline = time.monotonic() + timeout_s
    while not (value := look()):
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
    return value
