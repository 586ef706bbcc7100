"""What Feishu pushes, opened and checked: signature, time, encryption, token, schema, in order.

With an Encrypt Key every body is encrypted and signed; only the URL check (`url_verification`) may
come without a signature, as Feishu sends it so. Without an Encrypt Key the Verification Token is
all there is. Whether a request was seen before is the caller's to remember.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rankscope.decoding import decode_json
from rankscope.errors import ConfigurationError, NotAuthentic, StaleRequest, UnusableInput
from rankscope.feishu import crypto

WINDOW_S = 300.0
CHALLENGE = "url_verification"
SCHEMA = "2.0"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """An authentic push: the URL check has a challenge, everything else an id, a type, an event."""

    challenge: str | None = None
    event_id: str = ""
    event_type: str = ""
    created_at: float = 0.0
    """When it happened, in seconds since the epoch; 0 when Feishu does not say."""
    event: Json = field(default_factory=dict)


def read_envelope(body: bytes) -> Envelope:
    """Return what came over a connection that was authenticated when it was opened.

    Nothing is encrypted or signed there, and the token is not to be relied on. Raises
    UnusableInput.
    """
    return _event(_json(body), "")


def open_envelope(
    body: bytes, headers: Mapping[str, str], encrypt_key: str, verification_token: str, now: float
) -> Envelope:
    """Check a raw request body and return what is in it; now is seconds since the epoch.

    Raises NotAuthentic (StaleRequest when only the time is wrong), UnusableInput for an authentic
    request we cannot read, ConfigurationError when neither key nor token is set.
    """
    if not (encrypt_key or verification_token):
        raise ConfigurationError(
            "Feishu's pushes cannot be checked.",
            "Set RANKSCOPE_FEISHU_ENCRYPT_KEY and RANKSCOPE_FEISHU_VERIFICATION_TOKEN.",
        )
    message = _opened(body, headers, encrypt_key, now) if encrypt_key else _json(body)
    if message.get("type") == CHALLENGE:
        _check_token(message.get("token"), verification_token)
        return Envelope(challenge=str(message.get("challenge", "")))
    return _event(message, verification_token)


def _opened(body: bytes, headers: Mapping[str, str], encrypt_key: str, now: float) -> Json:
    lower = {name.lower(): value for name, value in headers.items()}
    if not lower.get(crypto.SIGNATURE_HEADER.lower()):
        return _unsigned_challenge(body, encrypt_key)
    _check_signature(body, lower, encrypt_key)
    _check_time(lower[crypto.TIME_HEADER.lower()], now)
    return _decrypted(body, encrypt_key)


def _check_signature(body: bytes, lower: Mapping[str, str], encrypt_key: str) -> None:
    sent = lower.get(crypto.TIME_HEADER.lower(), "")
    nonce = lower.get(crypto.NONCE_HEADER.lower(), "")
    given = lower[crypto.SIGNATURE_HEADER.lower()]
    if not (sent and nonce and crypto.signature_matches(encrypt_key, sent, nonce, body, given)):
        raise NotAuthentic(
            "Feishu's signature does not match.",
            "Check that RANKSCOPE_FEISHU_ENCRYPT_KEY is the app's Encrypt Key, "
            "and that no proxy changes the body.",
        )


def _check_time(sent: str, now: float) -> None:
    try:
        skew = now - float(sent)
    except ValueError:
        raise NotAuthentic("The time of Feishu's request is not a number.") from None
    if not abs(skew) <= WINDOW_S:
        raise StaleRequest(
            f"Feishu's request differs from this host's clock by {skew:.0f} s.",
            "Synchronise this host's clock (chrony or ntpd).",
        )


def _decrypted(body: bytes, encrypt_key: str) -> Json:
    encrypted = _json(body).get("encrypt")
    if not isinstance(encrypted, str):
        raise NotAuthentic(
            "The request is not encrypted although an Encrypt Key is set.",
            "Set the same Encrypt Key in the app's console, or none here.",
        )
    return _json(crypto.decrypt(encrypt_key, encrypted))


def _unsigned_challenge(body: bytes, encrypt_key: str) -> Json:
    """Open an unsigned body; all failures get one answer, which tells nothing of the padding."""
    refused = NotAuthentic(
        "The request is not signed although an Encrypt Key is set.",
        "Only Feishu's URL check may come without X-Lark-Signature.",
    )
    try:
        message = _decrypted(body, encrypt_key)
    except (NotAuthentic, UnusableInput):
        raise refused from None
    if message.get("type") != CHALLENGE:
        raise refused
    return message


def _json(raw: bytes) -> Json:
    try:
        return decode_json(raw, Json)
    except msgspec.DecodeError:
        raise UnusableInput("The request's body is not a JSON object.") from None


def _check_token(given: object, expected: str) -> None:
    if expected and not hmac.compare_digest(str(given).encode(), expected.encode()):
        raise NotAuthentic(
            "Feishu's verification token does not match.",
            "Check that RANKSCOPE_FEISHU_VERIFICATION_TOKEN is the app's Verification Token.",
        )


def _event(message: Json, verification_token: str) -> Envelope:
    header, event = message.get("header"), message.get("event")
    if not isinstance(header, dict):
        _check_token(message.get("token"), verification_token)
        raise UnusableInput(
            "The event does not have schema 2.0.", "Subscribe to the 2.0 version of the event."
        )
    _check_token(header.get("token"), verification_token)
    if message.get("schema") != SCHEMA or not header.get("event_id"):
        raise UnusableInput("The event does not have schema 2.0, or no event_id.")
    return Envelope(
        event_id=str(header["event_id"]),
        event_type=str(header.get("event_type", "")),
        created_at=_seconds(header.get("create_time")),
        event=event if isinstance(event, dict) else {},
    )


def _seconds(created: object) -> float:
    """Return a time of Feishu's, which is in ms, for clicks in µs."""
    digits = str(created)
    if not (digits.isascii() and digits.isdigit()):
        return 0.0
    return int(digits) / (1e6 if len(digits) > len("1735689600000") else 1e3)
