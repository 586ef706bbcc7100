"""Captures, reports and comparisons: one immutable object each, in a local folder or in S3.

    captures/YYYY/MM/DD/<print_id>.jsonl.zst     the capture file (docs/capture-format.md)
    captures/YYYY/MM/DD/<print_id>.report.json   its report
    captures/YYYY/MM/DD/<print_id>.<other>.json  its comparison with an earlier capture

The date follows from the print id, so that a path needs no look-up and a day can be swept at once.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import msgspec
import obstore
import zstandard
from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore, ObjectStore, from_url

from rankscope.errors import NotFound, StoreError
from rankscope.model.report import Comparison, Report
from rankscope.settings import Settings

ROOT = "captures"
MAX_CAPTURE_BYTES = 4 << 30  # Decompressed; 131,072 ranks with distinct stacks stay below.

T = TypeVar("T")


def day_of(print_id: str) -> str:
    """Return YYYY/MM/DD (UTC) of a print id; raises NotFound when it is not one."""
    if not (print_id.isascii() and print_id.isdigit() and len(print_id) == 19):
        raise NotFound(f"{print_id[:40]!r} is not a print id.", "A print id has 19 digits.")
    return datetime.fromtimestamp(int(print_id) / 1e9, UTC).strftime("%Y/%m/%d")


def open_store(settings: Settings) -> "CaptureStore":
    """Return the capture store of the settings; by default a folder in data_dir."""
    local = (settings.data_dir / "store").absolute().as_uri()
    return CaptureStore(settings.store_url or local)


class CaptureStore:
    """Every write happens once and is whole: a second one of the same name changes nothing."""

    def __init__(self, url: str) -> None:
        self._folder: Path | None = None
        self._store = self._open(url)

    def _open(self, url: str) -> ObjectStore:
        parts = urlsplit(url)
        if parts.scheme == "file":
            self._folder = Path(unquote(parts.path))
            return LocalStore(self._folder, mkdir=True)
        if parts.scheme != "s3":
            raise StoreError(
                f"The capture store {url!r} is neither file:// nor s3://.",
                "Set RANKSCOPE_STORE_URL to file:///folder or s3://bucket/prefix.",
            )
        return from_url(url)

    def write_capture(self, print_id: str, lines: Iterable[bytes]) -> bool:
        """Store a capture's lines (without line ends); False when it was there already."""
        raw = b"".join(line + b"\n" for line in lines)
        return self._put(self._capture_path(print_id), zstandard.compress(raw, level=9))

    def read_capture(self, print_id: str) -> list[bytes]:
        """Return a capture's lines; raises NotFound."""
        packed = self._get(self._capture_path(print_id), f"Capture {print_id}")
        unpacked = zstandard.ZstdDecompressor().decompress(
            packed, max_output_size=MAX_CAPTURE_BYTES
        )
        return unpacked.splitlines()

    def has_capture(self, print_id: str) -> bool:
        """Whether the capture file is there."""
        return self._has(self._capture_path(print_id))

    def write_report(self, print_id: str, report: Report) -> bool:
        """Store a capture's report; False when it was there already."""
        return self._put(self._path(print_id, "report.json"), msgspec.json.encode(report))

    def read_report(self, print_id: str) -> Report:
        """Return a capture's report; raises NotFound."""
        path = self._path(print_id, "report.json")
        return self._decode(path, f"The report of capture {print_id}", Report)

    def write_comparison(self, comparison: Comparison) -> bool:
        """Store a comparison beside its later capture; False when it was there already."""
        path = self._path(comparison.after, f"{comparison.before}.json")
        return self._put(path, msgspec.json.encode(comparison))

    def read_comparison(self, before: str, after: str) -> Comparison:
        """Return a comparison; raises NotFound."""
        path = self._path(after, f"{before}.json")
        return self._decode(path, f"The comparison of {before} and {after}", Comparison)

    def delete_before(self, day: datetime) -> int:
        """Delete everything of the days before `day` and return how many objects that were."""
        limit = f"{ROOT}/{day.astimezone(UTC).strftime('%Y/%m/%d')}"
        paths = [meta["path"] for batch in obstore.list(self._store, prefix=ROOT) for meta in batch]
        old = [path for path in paths if path.rpartition("/")[0] < limit]
        if old:
            obstore.delete(self._store, old)
        return len(old)

    def _path(self, print_id: str, ending: str) -> str:
        return f"{ROOT}/{day_of(print_id)}/{print_id}.{ending}"

    def _capture_path(self, print_id: str) -> str:
        return self._path(print_id, "jsonl.zst")

    def _put(self, path: str, content: bytes) -> bool:
        try:
            obstore.put(self._store, path, content, mode="create")
        except AlreadyExistsError:
            return False
        except Exception as error:
            raise StoreError(f"{path} cannot be written: {error}") from error
        self._flush(path)
        return True

    def _flush(self, path: str) -> None:
        """Bring a local file to the disk: a stage is done only when its output survives a crash."""
        if self._folder is None:
            return
        for place in (self._folder / path, (self._folder / path).parent):
            descriptor = os.open(place, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _has(self, path: str) -> bool:
        try:
            obstore.head(self._store, path)
        except FileNotFoundError:
            return False
        return True

    def _get(self, path: str, what: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, path).bytes())
        except FileNotFoundError:
            raise NotFound(
                f"{what} is not there.", "Captures are kept for a limited time; take a new one."
            ) from None

    def _decode(self, path: str, what: str, kind: type[T]) -> T:
        return msgspec.json.decode(self._get(path, what), type=kind)
