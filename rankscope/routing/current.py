"""The routes file of the settings as it is now; a broken one leaves the last good one in force.

The file is read whenever an alert comes: it is small, and so a change needs no restart. RQ runs
every task in a process of its own, so that the last good text is kept in Redis and not in memory.
"""

import hashlib
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import msgspec
import structlog

from rankscope.errors import UnusableInput
from rankscope.routing.load import parse_routes
from rankscope.routing.model import Book
from rankscope.store.state import PREFIX, State

KEY = f"{PREFIX}:routes"
LARGEST = 1 << 16
LONGEST_PROBLEM = 500

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The last good text of the file at `path`, and what is wrong with a later one, if anything.

    Times are seconds since the epoch; digest is that of the text the error is about.
    """

    path: str
    text: str = ""
    good_at: float = 0.0
    error: str = ""
    error_at: float = 0.0
    digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """The routes in force; error says why the file as it is now is not used, else it is empty."""

    book: Book
    path: str = ""
    good_at: float = 0.0
    error: str = ""


def current_routes(state: State, file: Path | None) -> Current:
    """Return the routes in force; no file, or never a good one, is an empty book."""
    if file is None:
        return Current(book=Book())
    kept = _kept(state, str(file))
    text, digest = "", ""
    try:
        text = _read(file)
        digest = hashlib.sha256(text.encode()).hexdigest()
        book = parse_routes(text, str(file))
    except UnusableInput as error:
        return _last_good(state, kept, str(error), digest)
    except Exception as error:  # noqa: BLE001 - an alert must go out whatever the file holds.
        problem = f"{file} cannot be read: {type(error).__name__}: {error}."
        return _last_good(state, kept, problem[:LONGEST_PROBLEM], digest)
    if kept.text != text or kept.error:
        kept = Kept(path=str(file), text=text, good_at=time.time())
        _keep(state, kept)
        _log.info("routes read", file=str(file), routes=len(book.routes))
    return Current(book=book, path=kept.path, good_at=kept.good_at)


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > LARGEST:
            raise UnusableInput(f"{file} is larger than 64 KiB.")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UnusableInput(f"{file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UnusableInput(f"{file} is not UTF-8 text.") from None


def _last_good(state: State, kept: Kept, error: str, digest: str) -> Current:
    """Warn once about a broken file, and return the last good one."""
    if (kept.error, kept.digest) != (error, digest):
        kept = replace(kept, error=error, error_at=time.time(), digest=digest)
        _keep(state, kept)
        _log.error("routes file broken, the last good one stays in force", error=error)
    return Current(book=_parsed(kept.text), path=kept.path, good_at=kept.good_at, error=error)


def _parsed(text: str) -> Book:
    try:
        return parse_routes(text) if text else Book()
    except Exception:  # noqa: BLE001 - an older version took it for good.
        return Book()


def _kept(state: State, path: str) -> Kept:
    raw = cast("bytes | None", state.redis.get(KEY))
    kept = msgspec.json.decode(raw, type=Kept) if raw else Kept(path=path)
    return kept if kept.path == path else Kept(path=path)


def _keep(state: State, kept: Kept) -> None:
    state.redis.set(KEY, msgspec.json.encode(kept))
