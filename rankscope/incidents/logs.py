"""What events brought of a job's logs: the newest piece of each, without secrets, kept 30 days."""

import time

from rankscope.logs.diagnosis import Piece
from rankscope.logs.slow import read_warning
from rankscope.model.event import Event, EventLog
from rankscope.model.state import Job, JobLogs, LogPiece
from rankscope.redaction import redact
from rankscope.store.state import State

PIECE_LETTERS = 64 * 1024
"""The end of a longer piece is kept: what failed is there, or the sender has chosen badly."""
LINE_LETTERS = 1000
MOST_PIECES = 64
MOST_LETTERS = 1024 * 1024
NAME_LETTERS = 100


def keep_logs(state: State, job: Job, event: Event) -> bool:
    """Keep the pieces of logs that an event has; whether there were any.

    The caller holds the job's lock. Those of an earlier run of the job go.
    """
    fresh = {one.worker[:NAME_LETTERS]: one for one in event.logs if _is_log(one)}
    if not fresh:
        return False
    known = state.find(JobLogs, job.id)
    kept = [] if known is None or known.run != job.run else list(known.pieces)
    pieces = [one for one in kept if one.name not in fresh]
    pieces += [_piece(name, one) for name, one in fresh.items()]
    state.save(JobLogs(id=job.id, run=job.run, pieces=_bounded(pieces)))
    return True


def logs_of(state: State, job_id: str, run: int | None = None) -> list[Piece]:
    """Return the kept pieces of a job's logs; with a run only those of this run."""
    known = state.find(JobLogs, job_id)
    if known is None or run not in {None, known.run}:
        return []
    pieces = [Piece(one.name, one.text, one.first_line) for one in known.pieces]
    return [one for one in pieces if not any(_holds(other, one) for other in pieces)]


def _holds(longer: Piece, shorter: Piece) -> bool:
    """Whether a piece is the end of another: two senders may have read the same log."""
    known_better = len(longer.text) > len(shorter.text)
    return known_better and longer.text.rstrip().endswith(shorter.text.strip())


def _is_log(log: EventLog) -> bool:
    """Whether a piece is more than the one line of a warning, which is no log to look into."""
    text = log.text.strip()
    return bool(text) and not ("\n" not in text and read_warning(text))


def _piece(name: str, log: EventLog) -> LogPiece:
    text, first = log.text, log.first_line
    if len(text) > PIECE_LETTERS:
        cut = text.find("\n", len(text) - PIECE_LETTERS) + 1 or len(text) - PIECE_LETTERS
        first = first and first + text.count("\n", 0, cut)
        text = text[cut:]
    short = "\n".join(map(_short, redact(text).split("\n")))
    return LogPiece(name, short, first, time.time())


def _short(line: str) -> str:
    """Shorten a very long line in its middle: a printed sample would take long to be looked at."""
    if len(line) <= LINE_LETTERS:
        return line
    return f"{line[: LINE_LETTERS // 2]} … {line[-LINE_LETTERS // 2 :]}"


def _bounded(pieces: list[LogPiece]) -> tuple[LogPiece, ...]:
    """Return the newest pieces that are within the limits."""
    kept: list[LogPiece] = []
    room = MOST_LETTERS
    for piece in reversed(pieces[-MOST_PIECES:]):
        room -= len(piece.text)
        if room < 0:
            break
        kept.append(piece)
    return tuple(reversed(kept))
