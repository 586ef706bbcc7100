"""Frames of the long connection: Protocol Buffers version 2, read and written by hand.

The numbers of the fields are those of the message `Frame` in the SDK (lark_oapi/ws/pb). One small
message needs no compiler, and loading the SDK for it would cost the emulator seconds.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

CONTROL: Final = 0
DATA: Final = 1

_SEQ_ID, _LOG_ID, _SERVICE, _METHOD, _HEADER, _PAYLOAD = 1, 2, 3, 4, 5, 8
_KEY, _VALUE = 1, 2
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_WIDTH: Final = {_FIXED64: 8, _FIXED32: 4}

Value = int | bytes


class BadFrame(ValueError):
    """Bytes that are no frame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One frame; method is CONTROL (ping, pong) or DATA (event and its answer)."""

    method: int
    service: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    payload: bytes = b""
    seq_id: int = 0
    log_id: int = 0

    @property
    def kind(self) -> str:
        """The header `type`: ping, pong, event or card."""
        return self.headers.get("type", "")


def encode(frame: Frame) -> bytes:
    """Return the bytes of a frame."""
    parts = [
        _number(_SEQ_ID, frame.seq_id),
        _number(_LOG_ID, frame.log_id),
        _number(_SERVICE, frame.service),
        _number(_METHOD, frame.method),
    ]
    for key, value in frame.headers.items():
        pair = _text(_KEY, key.encode()) + _text(_VALUE, value.encode())
        parts.append(_text(_HEADER, pair))
    if frame.payload:
        parts.append(_text(_PAYLOAD, frame.payload))
    return b"".join(parts)


def decode(raw: bytes) -> Frame:
    """Return the frame in some bytes; raises BadFrame."""
    numbers: dict[int, int] = {}
    headers: dict[str, str] = {}
    payload = b""
    for number, value in _fields(raw):
        if isinstance(value, int):
            numbers[number] = value
        elif number == _HEADER:
            key, text = _pair(value)
            headers[key] = text
        elif number == _PAYLOAD:
            payload = value
    if not {_SEQ_ID, _LOG_ID, _SERVICE, _METHOD} <= numbers.keys():
        raise BadFrame("a required field is missing")
    return Frame(
        method=numbers[_METHOD],
        service=numbers[_SERVICE],
        headers=headers,
        payload=payload,
        seq_id=numbers[_SEQ_ID],
        log_id=numbers[_LOG_ID],
    )


def _pair(raw: bytes) -> tuple[str, str]:
    found = {number: value for number, value in _fields(raw) if isinstance(value, bytes)}
    try:
        return found[_KEY].decode(), found[_VALUE].decode()
    except (KeyError, UnicodeDecodeError) as error:
        raise BadFrame("a header is broken") from error


def _fields(raw: bytes) -> Iterator[tuple[int, Value]]:
    at = 0
    while at < len(raw):
        tag, at = _varint(raw, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _varint(raw, at)
            yield number, value
            continue
        if wire == _BYTES:
            length, at = _varint(raw, at)
        elif wire in _WIDTH:
            length = _WIDTH[wire]
        else:
            raise BadFrame(f"unknown wire type {wire}")
        if at + length > len(raw):
            raise BadFrame("a field is cut off")
        yield number, raw[at : at + length]
        at += length


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(raw) and shift < 64:
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise BadFrame("a number is cut off")


def _number(number: int, value: int) -> bytes:
    return _varint_bytes(number << 3 | _VARINT) + _varint_bytes(value)


def _text(number: int, value: bytes) -> bytes:
    return _varint_bytes(number << 3 | _BYTES) + _varint_bytes(len(value)) + value


def _varint_bytes(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
