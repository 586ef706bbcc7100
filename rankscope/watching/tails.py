"""The ends of a job's logs, and the first error in them, for events; without secrets."""

from collections.abc import Iterable
from pathlib import Path

from rankscope.logs.first_error import Answer, default_rules, first_error, scan_blocks
from rankscope.model.event import EventLog
from rankscope.redaction import redact
from rankscope.watching.regular import open_regular
from rankscope.watching.sources import Source

READ = 1 << 18
SENT = 8192
MOST_LOGS = 16


def newest_logs(sources: Iterable[Source]) -> list[Source]:
    """Return the logs that were written last, the newest first, without those that are gone."""
    dated: list[tuple[float, Source]] = []
    for source in sources:
        try:
            dated.append((source.path.stat().st_mtime, source))
        except OSError:
            continue
    dated.sort(key=lambda one: one[0], reverse=True)
    return [source for _, source in dated[:MOST_LOGS]]


def tail(path: Path, size: int) -> bytes:
    """Return the last whole lines of a file, of this many bytes at most; empty without the file."""
    try:
        with open_regular(path) as stream:
            end = stream.seek(0, 2)
            stream.seek(max(0, end - size))
            text = stream.read(size)
    except OSError:
        return b""
    return text if end <= size else text.partition(b"\n")[2] or text


def find_error(sources: Iterable[Source]) -> Answer:
    """Return the first error in the ends of the logs; line numbers count within these ends."""
    book = default_rules()
    return first_error(
        [scan_blocks(one.worker, [tail(one.path, READ)], book) for one in newest_logs(sources)]
    )


def tails_of(sources: Iterable[Source], workers: Iterable[str]) -> tuple[EventLog, ...]:
    """Return the ends of some workers' logs as an event carries them, without secrets."""
    wanted = set(workers)
    return tuple(
        EventLog(worker=one.worker, text=redact(tail(one.path, SENT).decode(errors="replace")))
        for one in sources
        if one.worker in wanted
    )
