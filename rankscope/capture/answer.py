"""One agent's answer as it was received: how it ended, and which of its lines can be trusted."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from rankscope.decoding import decode_json
from rankscope.errors import NotAuthentic
from rankscope.signing import verify_line


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of asking one node: the file with its signed lines, and what went wrong, if so."""

    node: str
    file: Path
    nonce: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True)
class NcclLine:
    """How asking NCCL ended on a node, and whether it may be asked again."""

    outcome: str = ""
    again: bool = True


@dataclass(frozen=True, slots=True)
class Line:
    """The few fields of an agent's line that collecting depends on; the rest is passed on as is."""

    sample: int | None = None
    node: str = ""
    schema: str = ""
    nccl: NcclLine | None = None
    end: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """The trustworthy lines of an answer, and why there are no more, or an empty string."""

    lines: tuple[tuple[Line, bytes], ...]
    error: str

    @property
    def samples(self) -> frozenset[int]:
        """The numbers of the samples that arrived."""
        return frozenset(line.sample for line, _ in self.lines if line.sample is not None)


def check(answer: Answer, secret: str) -> Checked:
    """Return the lines up to the first that is cut, forged or unreadable, and what ended them."""
    if not answer.file.exists():
        return Checked((), answer.error)
    lines: list[tuple[Line, bytes]] = []
    try:
        for line, raw in _verified(answer, secret):
            if line.end:
                return Checked(tuple(lines), "")
            lines.append((line, raw))
    except NotAuthentic as error:
        return Checked(tuple(lines), str(error))
    except msgspec.DecodeError as error:
        return Checked(tuple(lines), f"The agent sent a line that is not as agreed: {error}.")
    return Checked(tuple(lines), answer.error or _CUT)


_CUT = "The answer was cut off: the agent stopped or the connection broke. Capture again."


def _verified(answer: Answer, secret: str) -> Iterator[tuple[Line, bytes]]:
    with answer.file.open("rb") as file:
        for number, signed in enumerate(file):
            if not signed.endswith(b"\n"):
                return
            text = signed[:-1].decode(errors="surrogateescape")
            raw = _verify(secret, answer.nonce, number, text)
            yield _line(raw), raw


def _line(raw: bytes) -> Line:
    # A capture file holds one object a line, and some readers end lines at a carriage return too.
    if b"\r" in raw:
        raise msgspec.DecodeError("it holds a carriage return")
    return decode_json(raw, Line)


def _verify(secret: str, nonce: str, number: int, text: str) -> bytes:
    try:
        return verify_line(secret, nonce, number, text).encode()
    except UnicodeEncodeError:
        raise NotAuthentic(f"Line {number} of the answer is not UTF-8.") from None
