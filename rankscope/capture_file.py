"""Reads captures from files: `rankscope.capture/1` (docs/capture-format.md) or py-spy dumps."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec.structs import replace

from rankscope.analysis.collecting import no_cycles
from rankscope.analysis.decode import Decoder, nccl_answer
from rankscope.analysis.plain_dumps import decode_array, processes_of_json, processes_of_text
from rankscope.analysis.visible import visible
from rankscope.analysis.wire import MOST_RANKS
from rankscope.capture_source import NEXT, open_source
from rankscope.errors import UnusableInput
from rankscope.model.capture import (
    CAPTURE_SCHEMA,
    Capture,
    CaptureHeader,
    NcclAnswer,
    NodeSample,
    Process,
)

_RANK = re.compile(r"rank[-_=. ]?(\d{1,7})(?!\d)", re.IGNORECASE)


@dataclass
class _Content:
    """What the lines read so far hold."""

    header: CaptureHeader | None = None
    samples: list[NodeSample] = field(default_factory=list)
    nccl: list[NcclAnswer] = field(default_factory=list)
    unreadable: int = 0

    @property
    def is_empty(self) -> bool:
        return self.header is None and not self.nccl and len(self.samples) == self.unreadable


def read_captures(paths: Sequence[Path]) -> Capture:
    """Read one capture from its files, or one py-spy dump per rank.

    A rank is taken from the file's name or folder (`rank3`, `rank_3`), else from the order. Raises
    UnusableInput when a file cannot be read or holds nothing of the kind.
    """
    if not paths:
        raise UnusableInput("No file was given.", NEXT)
    decoder = Decoder()
    dumps: list[tuple[Path, list[Process]]] = []
    captures: list[Capture] = []
    for path in paths:
        found = _read(path, decoder)
        if isinstance(found, Capture):
            captures.append(found)
        else:
            dumps.append((path, found))
    if dumps and captures:
        raise UnusableInput(
            f"{visible(str(dumps[0][0]))} is a py-spy dump, the other files are not.", NEXT
        )
    return _from_dumps(dumps) if dumps else _joined(captures)


def _read(path: Path, decoder: Decoder) -> Capture | list[Process]:
    """Read one file: a capture, line by line, or the processes of a plain dump."""
    source = open_source(path)
    if source.is_lines:
        return _parse(source.lines(), decoder, source.name)
    data = source.whole()
    return _plain(data, decoder) or _parse(data.splitlines(), decoder, source.name)


def parse_capture(lines: Iterable[bytes]) -> Capture:
    """Read the lines of one capture file.

    Unknown or wrong fields are dropped and a line that is no JSON becomes a node's error. Raises
    UnusableInput when no line can be read.
    """
    return _parse(lines, Decoder(), "The capture")


@no_cycles()
def _parse(lines: Iterable[bytes], decoder: Decoder, name: str) -> Capture:
    content = _Content()
    for number, line in enumerate(lines, start=1):
        if line and not line.isspace():
            _add_line(content, line, number, decoder)
    if content.is_empty:
        raise UnusableInput(f"{name} holds no {CAPTURE_SCHEMA} and no py-spy dump.", NEXT)
    header = content.header or CaptureHeader(job_id="unknown", print_id="0")
    return Capture(header, tuple(content.samples), tuple(content.nccl))


def _add_line(content: _Content, line: bytes, number: int, decoder: Decoder) -> None:
    node = decoder.node_line(line)
    if node is not None:
        content.samples.append(node)
        return
    raw = _decode(line)
    if isinstance(raw, dict):
        if isinstance(raw.get("nccl"), dict):
            answer = nccl_answer(raw["nccl"])
            content.nccl.extend([answer] if answer else [])
            return
        if "schema" in raw or "print_id" in raw:
            content.header = content.header or decoder.header(raw)
            return
        if "processes" in raw or "node" in raw:
            content.samples.append(decoder.node(raw))
            return
        if "end" in raw:
            return
    content.unreadable += 1
    error = f"line {number} of the capture cannot be read"
    content.samples.append(NodeSample(node="", sample=0, error=error))


def _decode(line: bytes) -> object:
    try:
        return msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _plain(data: bytes, decoder: Decoder) -> list[Process]:
    """Return the processes of a py-spy dump, none when the bytes are something else."""
    if data.lstrip()[:1] == b"[":
        array = decode_array(data)
        return processes_of_json(array, decoder) if array is not None else []
    return processes_of_text(data.decode("utf-8", errors="replace"), decoder)


def _from_dumps(dumps: list[tuple[Path, list[Process]]]) -> Capture:
    named = [_rank_in(path) for path, _ in dumps]
    is_named = len(set(named)) == len(named) and None not in named
    processes: list[Process] = []
    for order, (rank, (_, found)) in enumerate(zip(named, dumps, strict=True)):
        alone = len(dumps) == 1 and not is_named
        own = None if alone else (rank if is_named else order)
        processes += [replace(process, rank=own) for process in found]
    sample = NodeSample(node="local", sample=0, processes=tuple(processes))
    return Capture(CaptureHeader(job_id="unknown", print_id="0"), (sample,))


def _rank_in(path: Path) -> int | None:
    found = _RANK.findall(str(path))
    rank = int(found[-1]) if found else None
    return rank if rank is not None and rank <= MOST_RANKS else None


def _joined(captures: list[Capture]) -> Capture:
    """Join the files of one capture, for instance one per node."""
    first = captures[0]
    if len({capture.header.print_id for capture in captures}) > 1:
        raise UnusableInput(
            "The files are of different captures.",
            "Analyze them one by one; `rankscope compare A B` shows what changed.",
        )
    return Capture(
        first.header,
        tuple(sample for capture in captures for sample in capture.samples),
        tuple(answer for capture in captures for answer in capture.nccl),
    )
