"""Logs of the long connection, without what would let a reader of them open one himself."""

import logging
import re

from rankscope.json_logs import configure_logging

_SECRET = re.compile(r"\b(ticket|access_key)(=|%3D)[^&\s\"'\\]+", re.IGNORECASE)


def redacted(text: str) -> str:
    """Return a text without the tickets and keys of the addresses in it."""
    return _SECRET.sub(r"\1\2***", text)


class _Redacting(logging.Formatter):
    def __init__(self, inner: logging.Formatter) -> None:
        super().__init__()
        self._inner = inner

    def format(self, record: logging.LogRecord) -> str:
        return redacted(self._inner.format(record))


def configure_redacted_logging() -> None:
    """Log as the other services do, and take tickets out of every line, tracebacks included."""
    configure_logging()
    for handler in logging.getLogger().handlers:
        handler.setFormatter(_Redacting(handler.formatter or logging.Formatter()))
