"""Reads captures from files: `rankscope.capture/1` (docs/capture-format.md) or py-spy dumps."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec
import zstandard

from rankscope.analysis.collecting import no_cycles
from rankscope.analysis.decode import Decoder, nccl_answer
from rankscope.analysis.fast_decode import MOST_RANKS
from rankscope.analysis.plain_dumps import decode_array, processes_of_json, processes_of_text
from rankscope.errors import UnusableInput
from rankscope.model.capture import (
    CAPTURE_SCHEMA,
    Capture,
    CaptureHeader,
    NcclAnswer,
    NodeSample,
    Process,
)

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MOST_BYTES = 4 << 30
"""A capture of 16,384 ranks with two samples is below this; more is refused as damage."""
_CHUNK = 1 << 20
_RANK = re.compile(r"rank[-_=. ]?(\d{1,7})(?!\d)", re.IGNORECASE)
_NEXT = "Give a capture file, or the text or JSON of `py-spy dump`, one file per rank."


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
        raise UnusableInput("No file was given.", _NEXT)
    decoder = Decoder()
    contents = [(path, _read(path)) for path in paths]
    plain = [(path, found) for path, data in contents if (found := _plain(data, decoder))]
    if plain and len(plain) == len(paths):
        return _from_dumps(plain)
    if plain:
        raise UnusableInput(f"{plain[0][0]} is a py-spy dump, the other files are not.", _NEXT)
    captures = [_parse(data.splitlines(), decoder, str(path)) for path, data in contents]
    return _joined(captures)


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
        if line.strip():
            _add_line(content, line, number, decoder)
    if content.is_empty:
        raise UnusableInput(f"{name} holds no {CAPTURE_SCHEMA} and no py-spy dump.", _NEXT)
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


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            magic = file.read(len(ZSTD_MAGIC))
            file.seek(0)
            data = _decompressed(file.read()) if magic == ZSTD_MAGIC else file.read(MOST_BYTES)
    except OSError as error:
        raise UnusableInput(f"{path} cannot be read: {error.strerror}.", _NEXT) from error
    if not data.strip():
        raise UnusableInput(f"{path} is empty.", _NEXT)
    return data


def _decompressed(data: bytes) -> bytes:
    """Return as much as can be decompressed: the end of a cut file is lost, not its beginning."""
    found = bytearray()
    for chunk in _chunks(data):
        found += chunk
        if len(found) > MOST_BYTES:
            raise UnusableInput(f"The capture is larger than {MOST_BYTES} bytes when unpacked.")
    return bytes(found)


def _chunks(data: bytes) -> Iterator[bytes]:
    reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
    while True:
        try:
            chunk = reader.read(_CHUNK)
        except zstandard.ZstdError:
            return
        if not chunk:
            return
        yield chunk


def _plain(data: bytes, decoder: Decoder) -> list[Process]:
    """Return the processes of a py-spy dump, none when the bytes are something else."""
    start = data.lstrip()[:1]
    if start == b"[":
        array = decode_array(data)
        return processes_of_json(array, decoder) if array is not None else []
    if start == b"{":
        return []
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
