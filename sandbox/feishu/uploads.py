"""Uploaded images and files."""

import struct
from dataclasses import dataclass, field
from typing import Final

from sandbox.feishu.codes import ApiError
from sandbox.feishu.model import new_id

MOST_IMAGE_BYTES: Final = 10 * 1024 * 1024
MOST_FILE_BYTES: Final = 30 * 1024 * 1024
FILE_TYPES: Final = frozenset({"opus", "mp4", "pdf", "doc", "xls", "ppt", "stream"})
IMAGE_TYPES: Final = frozenset({"message", "avatar"})
_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
    (b"\x00\x00\x01\x00", "image/x-icon"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
)


@dataclass(frozen=True, slots=True)
class Upload:
    """The bytes of an upload with their media type and name."""

    body: bytes
    media_type: str
    name: str = ""


def image_type(body: bytes) -> str:
    """Return the media type of an image by its first bytes; raises ApiError 234011."""
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    if body[4:12] in {b"ftypheic", b"ftypheix", b"ftypmif1"}:
        return "image/heic"
    for signature, media_type in _SIGNATURES:
        if body.startswith(signature):
            return media_type
    raise ApiError(234011)


def _check_size(body: bytes, most: int) -> None:
    if not body:
        raise ApiError(234010)
    if len(body) > most:
        raise ApiError(234006)


def _check_pixels(body: bytes, media_type: str) -> None:
    # Only PNG and GIF say their size at a fixed place.
    sizes = {
        "image/png": lambda: struct.unpack(">II", body[16:24]),
        "image/gif": lambda: struct.unpack("<HH", body[6:10]),
    }
    most = 2000 if media_type == "image/gif" else 12000
    if media_type in sizes and len(body) >= 24 and max(sizes[media_type]()) > most:
        raise ApiError(234039)


@dataclass(slots=True)
class Uploads:
    """What the bot uploaded, by key."""

    images: dict[str, Upload] = field(default_factory=dict)
    files: dict[str, Upload] = field(default_factory=dict)

    def add_image(self, body: bytes, purpose: str) -> str:
        """Keep an image of at most 10 MB and return its key; raises ApiError."""
        if purpose not in IMAGE_TYPES:
            raise ApiError(234001, f"image_type {purpose!r} is not message or avatar")
        _check_size(body, MOST_IMAGE_BYTES)
        media_type = image_type(body)
        _check_pixels(body, media_type)
        key = new_id("img_v3")
        self.images[key] = Upload(body, media_type)
        return key

    def add_file(self, body: bytes, file_type: str, name: str) -> str:
        """Keep a file of at most 30 MB and return its key; raises ApiError."""
        if file_type not in FILE_TYPES:
            raise ApiError(234001, f"file_type {file_type!r} is unknown")
        if not name:
            raise ApiError(234001, "file_name is required")
        _check_size(body, MOST_FILE_BYTES)
        key = new_id("file_v3")
        self.files[key] = Upload(body, "application/octet-stream", name)
        return key
