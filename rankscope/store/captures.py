"""Captures, reports and comparisons: immutable objects in a folder or in S3, behind obstore.

Everything about a capture lies under the day it began (UTC): `captures/YYYY/MM/DD/<print_id>.…`, so
that a day can be dropped as a whole. Writing an object that exists changes nothing and is no error,
which makes every stage repeatable.
"""

import os
import tempfile
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import msgspec
import obstore
import zstandard
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import LocalStore, from_url

from rankscope.errors import NotFound, StoreError
from rankscope.model.report import Comparison, Report
from rankscope.settings import Settings

ROOT = "captures"
LEVEL = 3
"""zstd's default; level 9 saves another 40 % and takes five times as long."""
CHUNK = 1 << 20
LARGEST_CAPTURE = 8 << 30
"""Bytes of a decompressed capture; 1,250 nodes of 8 GPUs need about that much as plain lines."""

T = TypeVar("T")


def day_of(print_id: str) -> date:
    """Return the UTC day of a print_id; raises NotFound when it is none."""
    if not (print_id.isascii() and print_id.isdecimal() and len(print_id) <= 20):
        raise NotFound(f"{print_id[:40]!r} is no print id.", "A print id is a number of 19 digits.")
    try:
        return datetime.fromtimestamp(int(print_id) // 10**9, UTC).date()
    except (ValueError, OverflowError, OSError):
        raise NotFound(f"{print_id} is no print id.") from None


def _key(print_id: str, ending: str) -> str:
    return f"{ROOT}/{day_of(print_id):%Y/%m/%d}/{print_id}.{ending}"


class CaptureStore:
    """Reads and writes captures and what was made of them; every method may raise StoreError."""

    def __init__(self, url: str) -> None:
        """Open a store by URL, such as file:///folder or s3://bucket/prefix; raises StoreError."""
        parts = urlsplit(url)
        self._folder = Path(unquote(parts.path)) if parts.scheme == "file" else None
        try:
            self._store = _local(self._folder) if self._folder else from_url(url)
        except (BaseError, OSError, ValueError) as error:
            raise StoreError(
                f"The capture store {url} cannot be opened: {error}.",
                "Check RANKSCOPE_STORE_URL and the credentials of the store.",
            ) from error

    @classmethod
    def of(cls, settings: Settings) -> "CaptureStore":
        """Open the store of the settings: store_url, else the data directory."""
        return cls(settings.store_url or settings.data_dir.resolve().as_uri())

    # Captures.

    def write_capture(self, print_id: str, lines: Iterable[bytes]) -> bool:
        """Write a capture's lines once, compressed; False when it was there already."""
        with tempfile.TemporaryFile() as packed:
            compressor = zstandard.ZstdCompressor(level=LEVEL)
            with compressor.stream_writer(packed, closefd=False) as writer:
                for line in lines:
                    writer.write(line.rstrip(b"\n") + b"\n")
            packed.seek(0)
            return self._create(_key(print_id, "jsonl.zst"), packed.read())

    def has_capture(self, print_id: str) -> bool:
        """Whether the capture was written."""
        return self._exists(_key(print_id, "jsonl.zst"))

    def read_capture(self, print_id: str) -> list[bytes]:
        """Return a capture's lines; raises NotFound when it is unknown or has expired."""
        packed = self._read(_key(print_id, "jsonl.zst"), f"Capture {print_id}")
        try:
            return [line for line in _unpack(packed).split(b"\n") if line]
        except zstandard.ZstdError as error:
            raise StoreError(f"Capture {print_id} is damaged: {error}.") from error

    # What was made of them.

    def write_report(self, report: Report) -> bool:
        """Write the report of the capture its summary names; False when it was there already."""
        return self._create(
            _key(report.summary.print_id, "report.json"), msgspec.json.encode(report)
        )

    def read_report(self, print_id: str) -> Report:
        """Return a capture's report; raises NotFound when there is none."""
        return self._decode(_key(print_id, "report.json"), f"The report of {print_id}", Report)

    def find_report(self, print_id: str) -> Report | None:
        """Return a capture's report, or None when there is none."""
        try:
            return self.read_report(print_id)
        except NotFound:
            return None

    def write_comparison(self, comparison: Comparison) -> bool:
        """Write the comparison of two captures; False when it was there already."""
        key = _comparison_key(comparison.before, comparison.after)
        return self._create(key, msgspec.json.encode(comparison))

    def read_comparison(self, before: str, after: str) -> Comparison:
        """Return the comparison of two captures; raises NotFound when there is none."""
        name = f"The comparison of {before} and {after}"
        return self._decode(_comparison_key(before, after), name, Comparison)

    # Retention.

    def delete_before(self, first_kept: date) -> int:
        """Delete all days before one and return the number of objects that went."""
        try:
            old = [
                str(item["path"])
                for batch in obstore.list(self._store, prefix=ROOT)
                for item in batch
                if _is_before(str(item["path"]), first_kept)
            ]
            if old:
                obstore.delete(self._store, old)
        except BaseError as error:
            raise _failed("Old captures cannot be deleted", error) from error
        return len(old)

    # Objects.

    def _create(self, key: str, content: bytes) -> bool:
        try:
            obstore.put(self._store, key, content, mode="create", use_multipart=False)
            fresh = True
        except AlreadyExistsError:
            fresh = False
        except BaseError as error:
            raise _failed(f"{key} cannot be written", error) from error
        if self._folder:
            _sync(self._folder / key)
        return fresh

    def _exists(self, key: str) -> bool:
        try:
            obstore.head(self._store, key)
        except FileNotFoundError:
            return False
        except BaseError as error:
            raise _failed(f"{key} cannot be looked up", error) from error
        return True

    def _read(self, key: str, name: str) -> bytes:
        try:
            return bytes(obstore.get(self._store, key).bytes())
        except FileNotFoundError:
            raise NotFound(
                f"{name} is unknown or has expired.", "Captures are kept for a limited time."
            ) from None
        except BaseError as error:
            raise _failed(f"{name} cannot be read", error) from error

    def _decode(self, key: str, name: str, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(self._read(key, name), type=kind)
        except msgspec.DecodeError as error:
            raise StoreError(f"{name} is damaged: {error}.", "Capture again.") from error


def _comparison_key(before: str, after: str) -> str:
    day_of(before)
    return _key(after, f"since-{before}.json")


def _local(folder: Path) -> LocalStore:
    return LocalStore(folder, mkdir=True, automatic_cleanup=True)


def _failed(what: str, error: Exception) -> StoreError:
    return StoreError(f"{what}: {error}.", "Check RANKSCOPE_STORE_URL and the space that is left.")


def _unpack(packed: bytes) -> bytes:
    content = bytearray()
    with zstandard.ZstdDecompressor().stream_reader(packed) as reader:
        while chunk := reader.read(CHUNK):
            content += chunk
            if len(content) > LARGEST_CAPTURE:
                raise StoreError(f"The capture is larger than {LARGEST_CAPTURE >> 30} GiB.")
    return bytes(content)


def _is_before(path: str, first_kept: date) -> bool:
    try:
        return datetime.strptime(path, f"{ROOT}/%Y/%m/%d/{Path(path).name}").date() < first_kept
    except ValueError:
        return False


def _sync(path: Path) -> None:
    """Bring a file and its name to the disk; obstore leaves that to the kernel."""
    for target in (path, path.parent):
        descriptor = os.open(target, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
