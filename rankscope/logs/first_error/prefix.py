"""What stands before a line's own text: time, instance, worker, rank, colours.

The prefix is taken off before any rule looks at the line, so that a worker named `error-1` is no
error. Forms: the platform's `time instance worker | `, kubectl's `[pod/name/container]`, compose's
`name | `, torchrun's `[rank3]:` and `[default7]:`, `srun -l`'s `7: `, mpirun's `[1,0]<stdout>:`,
Ray's `(Worker pid=604, ip=…)`, vLLM's `(VllmWorker rank=2 pid=251)`, pdsh's and pods' `name-0: `.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime

from rankscope.logs.first_error.model import Line

LONGEST = 2048
"""Letters of a line that are looked at; a rule may take time by the square of them."""
LONGEST_PIECE = 8192
"""The same where steps are looked for, which may stand anywhere."""
MOST_DIGITS = 7
_ANSI = re.compile(
    r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|\x1b[()][A-Z0-9]"
)
_TIME = re.compile(
    r"\[?(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?P<part>[.,]\d{1,9})?"
    r"(?P<zone>Z|[+-]\d\d:?\d\d)?\]?:?(?: |$)"
)
# The level in `time | ERROR | text` stands where a worker's name may.
_NO_LEVEL = r"(?!(?i:trace|debug|info|success|warn(?:ing)?|error|critical|fatal)\s)"
_PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"[^\s|]\S*\s+{_NO_LEVEL}(?P<worker>[^\s|]\S*)\s+\|(?: |$)",
        rf"{_NO_LEVEL}(?P<worker>[\w.-]+)\s+\|(?: |$)",
        r"\[pod/(?P<worker>[^\]/]+)(?:/[^\]]*)?\]:? ?",
        r"\[rank ?(?P<rank>\d+)\]:? ?",
        r"\[(?:default|trainer|worker|role)_?(?P<local>\d+)\]:? ?",
        r"\[\d+,(?P<rank>\d+)\]<std(?:out|err|diag)>: ?",
        r"(?P<rank>\d{1,5}): ",
        r"\((?:[\w.:<>]+ )?(?:[^()]*\b)?rank=(?P<rank>\d+)[^()]*\) ?",
        r"\((?P<actor>[^()]*\bpid=\d+[^()]*)\) ?",
        r"(?!python|lib|pip|line)(?P<worker>[a-z][a-z0-9.-]*\d): (?=\S|$)",
        r"std(?:err|out): ",
    )
)
_RANK_INSIDE = re.compile(r"\[Rank (\d+)\]")
_MOST_PARTS = 6
_JSON_TEXTS = ("message", "msg", "log", "text", "content", "event")
_JSON_LEVELS = ("level", "levelname", "log_level", "severity", "lvl")
_JSON_TRACEBACKS = ("exc_info", "exc_text", "exception", "traceback", "stack_trace", "error")
_LEVEL_OF_ERRORS = re.compile(r"(?i:error|critical|fatal|panic)")


def read_lines(number: int, raw: bytes) -> Iterator[Line]:
    """Yield the lines in one line of a file: progress bars join many by carriage returns."""
    text = _ANSI.sub("", raw.decode("utf-8", "replace")) if b"\x1b" in raw else _decode(raw)
    pieces = [piece for piece in text.split("\r") if piece] if "\r" in text else [text]
    first = _line(number, pieces[0] if pieces else "")
    yield from _unfold(first)
    for piece in pieces[1:]:
        yield from _unfold(_line(number, piece, first))


def joined(raw: bytes) -> str:
    """Return a line of a file with the lines in it on lines of their own, prefixes and all."""
    text = _ANSI.sub("", _decode(raw)) if b"\x1b" in raw else _decode(raw)
    return text.replace("\r", "\n").replace("\\n", "\n")


def last_piece(raw: bytes) -> str:
    """Return what a terminal would show last of a line of a file, shortened when it is long."""
    return shortened(joined(raw.rstrip(b"\r").rpartition(b"\r")[2]), LONGEST_PIECE)


def last_line(raw: bytes) -> str:
    """Return the text of the last line in a line of a file."""
    return list(read_lines(0, raw))[-1].text


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _line(number: int, text: str, before: Line | None = None) -> Line:
    """Take the prefix off; what a piece after a carriage return lacks is as in the piece before."""
    time = before.time if before else None
    zone = before.zone if before else None
    parts = {"worker": before.worker, "actor": ""} if before else {}
    for _ in range(_MOST_PARTS):
        stamp = _TIME.match(text)
        if stamp:
            if time is None:
                time, zone = _seconds(stamp), _zone(stamp["zone"])
            text = text[stamp.end() :]
            continue
        found = next(filter(None, (part.match(text) for part in _PARTS)), None)
        if found is None:
            break
        parts |= {name: value for name, value in found.groupdict().items() if value}
        text = text[found.end() :]
    return replace(_with(number, shortened(text), parts), time=time, zone=zone)


def _with(number: int, text: str, parts: dict[str, str]) -> Line:
    inside = _RANK_INSIDE.search(text) if "rank" not in parts else None
    rank = parts.get("rank") or (inside[1] if inside else None)
    worker = parts.get("worker", "")
    tag = parts.get("rank") or parts.get("local") or parts.get("actor", "")
    return Line(
        number=number,
        text=text,
        worker=worker,
        stream=f"{worker}/{tag}",
        rank=number_of(rank),
        local=number_of(parts.get("local")),
    )


def number_of(digits: str | None) -> int | None:
    """Return a rank or a number of ranks; more digits than any job's has are no number."""
    return int(digits) if digits and len(digits) <= MOST_DIGITS else None


def shortened(text: str, most: int = LONGEST) -> str:
    """Shorten a very long line in its middle: errors stand at its start or its end."""
    if len(text) <= most:
        return text
    return text[: most // 2] + " … " + text[-most // 2 :]


def _seconds(stamp: re.Match[str]) -> float | None:
    try:
        whole = datetime.fromisoformat(stamp["time"]).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
    part = stamp["part"]
    return whole + (float(f"0.{part[1:]}") if part else 0.0)


def _zone(written: str | None) -> float | None:
    """Return how many seconds a zone such as `Z` or `+08:00` is ahead of UTC."""
    if not written:
        return None
    if written == "Z":
        return 0.0
    hours, minutes = int(written[1:3]), int(written[-2:])
    return (-1 if written[0] == "-" else 1) * (3600.0 * hours + 60.0 * minutes)


def _unfold(line: Line) -> Iterator[Line]:
    """Yield the lines of a JSON log record, whose texts may hold a whole traceback."""
    record = _record(line.text) if line.text.startswith("{") else {}
    message = next(_texts(record, _JSON_TEXTS), None)
    if message is None:
        yield line
        return
    below = [one for one in _texts(record, _JSON_TRACEBACKS) if "Traceback" in one]
    failed = any(_LEVEL_OF_ERRORS.fullmatch(level) for level in _texts(record, _JSON_LEVELS))
    for text in "\n".join((message, *below)).splitlines() or [""]:
        yield replace(line, text=text, failed=failed)


def _record(text: str) -> dict[str, object]:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _texts(record: dict[str, object], names: Iterable[str]) -> Iterator[str]:
    return (value for value in map(record.get, names) if isinstance(value, str))
