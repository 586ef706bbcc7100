"""What stands before a line's own text: time, instance, worker, rank, colours.

The prefix is taken off before any rule looks at the line, so that a worker named `error-1` is no
error. Forms: the platform's `time instance worker | `, kubectl's `[pod/name/container]`, compose's
`name | `, torchrun's `[rank3]:` and `[default7]:`, `srun -l`'s `7: `, mpirun's `[1,0]<stdout>:`,
Ray's `(Worker pid=604, ip=…)`, vLLM's `(VllmWorker rank=2 pid=251)`, pdsh's and pods' `name-0: `.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from rankscope.logs.first_error.model import Line

LONGEST = 4096
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b[()][A-Z0-9]")
_TIME = re.compile(
    r"\[?(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?P<part>[.,]\d{1,9})?"
    r"(?:Z|[+-]\d\d:?\d\d)?\]?:?(?: |$)"
)
_PARTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\S+\s+(?P<worker>\S+)\s+\|(?: |$)",
        r"(?P<worker>[\w.-]+)\s+\|(?: |$)",
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
_JSON_TEXTS = ("message", "msg", "log", "text", "content")


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
    """Return what a terminal would show last of a line of a file."""
    return joined(raw.rstrip(b"\r").rpartition(b"\r")[2])


def last_line(raw: bytes) -> str:
    """Return the text of the last line in a line of a file."""
    return list(read_lines(0, raw))[-1].text


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _line(number: int, text: str, before: Line | None = None) -> Line:
    """Take the prefix off; what a piece after a carriage return lacks is as in the piece before."""
    time = before.time if before else None
    parts = {"worker": before.worker, "actor": ""} if before else {}
    for _ in range(_MOST_PARTS):
        stamp = _TIME.match(text)
        if stamp:
            time = _seconds(stamp) if time is None else time
            text = text[stamp.end() :]
            continue
        found = next(filter(None, (part.match(text) for part in _PARTS)), None)
        if found is None:
            break
        parts |= {name: value for name, value in found.groupdict().items() if value}
        text = text[found.end() :]
    return _with(number, _cut(text), parts, time)


def _with(number: int, text: str, parts: dict[str, str], time: float | None) -> Line:
    inside = _RANK_INSIDE.search(text) if "rank" not in parts else None
    rank = parts.get("rank") or (inside[1] if inside else None)
    worker = parts.get("worker", "")
    tag = parts.get("rank") or parts.get("local") or parts.get("actor", "")
    return Line(
        number=number,
        text=text,
        worker=worker,
        stream=f"{worker}/{tag}",
        rank=int(rank) if rank else None,
        local=int(parts["local"]) if "local" in parts else None,
        time=time,
    )


def _cut(text: str) -> str:
    """Shorten a very long line in its middle: errors stand at its start or its end."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST // 2] + " … " + text[-LONGEST // 2 :]


def _seconds(stamp: re.Match[str]) -> float | None:
    try:
        whole = datetime.fromisoformat(stamp["time"]).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
    part = stamp["part"]
    return whole + (float(f"0.{part[1:]}") if part else 0.0)


def _unfold(line: Line) -> Iterator[Line]:
    """Yield the lines of a JSON log record, whose message may hold a whole traceback."""
    message = _message(line.text) if line.text.startswith("{") else None
    if message is None:
        yield line
        return
    for text in message.splitlines() or [""]:
        yield Line(line.number, text, line.worker, line.stream, line.rank, line.local, line.time)


def _message(text: str) -> str | None:
    try:
        record = json.loads(text)
    except ValueError:
        return None
    texts = (record.get(key) for key in _JSON_TEXTS) if isinstance(record, dict) else ()
    return next((text for text in texts if isinstance(text, str)), None)
