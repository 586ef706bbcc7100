"""Signatures of our own: webhooks in, requests to agents, their answers, and agents' heartbeats.

A request is signed with HMAC-SHA256 over method, path, time, nonce and body hash. An answer is a
sequence of lines, each signed over the request's nonce, its own number and its text, so that a cut
or replayed answer is noticed and every whole line of a partial one is still trustworthy. A webhook
uses the simpler form that senders can make with one line of shell (docs/webhooks.md).
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankscope.errors import NotAuthentic, StaleRequest

TIME_HEADER = "X-Rankscope-Time"
NONCE_HEADER = "X-Rankscope-Nonce"
SIGNATURE_HEADER = "X-Rankscope-Signature"
WINDOW_S = 300.0

NonceCheck = Callable[[str], bool]
"""Remembers a nonce; returns False when it was seen before within the window."""


def _mac(key: str, *parts: str) -> str:
    return hmac.new(key.encode(), "\n".join(parts).encode(), hashlib.sha256).hexdigest()


def _body_hash(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """The headers of a signed request and its nonce, which binds the answer."""

    headers: dict[str, str]
    nonce: str


def sign_request(key: str, method: str, path: str, body: bytes = b"") -> SignedRequest:
    """Sign a request to an agent, or a heartbeat to the bot; path has no query."""
    now, nonce = f"{time.time():.3f}", secrets.token_hex(16)
    signature = _mac(key, method.upper(), path, now, nonce, _body_hash(body))
    headers = {TIME_HEADER: now, NONCE_HEADER: nonce, SIGNATURE_HEADER: signature}
    return SignedRequest(headers, nonce)


def verify_request(
    key: str,
    method: str,
    path: str,
    headers: Mapping[str, str],
    body: bytes,
    is_new_nonce: NonceCheck,
) -> str:
    """Check a signed request and return its nonce.

    Raises NotAuthentic for a wrong or missing signature, StaleRequest for a right one whose time is
    more than five minutes away (which tells a skewed clock from a wrong key) or that was used
    before.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    sent = lower.get(TIME_HEADER.lower(), "")
    nonce = lower.get(NONCE_HEADER.lower(), "")
    signature = lower.get(SIGNATURE_HEADER.lower(), "")
    expected = _mac(key, method.upper(), path, sent, nonce, _body_hash(body))
    if not (key and nonce and hmac.compare_digest(expected.encode(), signature.encode())):
        raise NotAuthentic(
            "The signature does not match.",
            "Check that both sides use the same RANKSCOPE_AGENT_SECRET.",
        )
    _check_time(sent)
    if not is_new_nonce(nonce):
        raise StaleRequest("The request was already used.", "Sign every request anew.")
    return nonce


def _check_time(sent: str) -> None:
    try:
        skew = time.time() - float(sent)
    except ValueError:
        raise NotAuthentic("The time of the request is not a number.") from None
    if not abs(skew) <= WINDOW_S:
        raise StaleRequest(
            f"The request's time differs from this host's clock by {skew:.0f} s.",
            "Synchronise the clocks of both hosts (chrony or ntpd).",
        )


def sign_line(key: str, nonce: str, number: int, line: str) -> str:
    """Return one line of a signed answer: signature, space, text."""
    return f"{_mac(key, nonce, str(number), line)} {line}"


def verify_line(key: str, nonce: str, number: int, signed: str) -> str:
    """Return the text of a signed line; raises NotAuthentic."""
    signature, _, line = signed.partition(" ")
    expected = _mac(key, nonce, str(number), line)
    if not hmac.compare_digest(expected.encode(), signature.encode()):
        raise NotAuthentic(
            f"Line {number} of the answer is not signed with our key.",
            "Check that both sides use the same RANKSCOPE_AGENT_SECRET.",
        )
    return line


def sign_webhook(secret: str, body: bytes, now: float | None = None) -> dict[str, str]:
    """Return the headers of a webhook: `sha256=` HMAC over time, a dot and the raw body."""
    sent = f"{time.time() if now is None else now:.0f}"
    return {TIME_HEADER: sent, SIGNATURE_HEADER: f"sha256={_webhook_mac(secret, sent, body)}"}


def _webhook_mac(secret: str, sent: str, body: bytes) -> str:
    return hmac.new(secret.encode(), sent.encode() + b"." + body, hashlib.sha256).hexdigest()


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes) -> None:
    """Check a webhook; replays inside the window are harmless, since event ids are unique.

    Raises NotAuthentic or StaleRequest.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    sent = lower.get(TIME_HEADER.lower(), "")
    given = lower.get(SIGNATURE_HEADER.lower(), "").removeprefix("sha256=")
    if not (
        secret and hmac.compare_digest(_webhook_mac(secret, sent, body).encode(), given.encode())
    ):
        raise NotAuthentic(
            "The webhook's signature does not match.",
            "Check RANKSCOPE_WEBHOOK_SECRET on both sides; docs/webhooks.md shows how to sign.",
        )
    _check_time(sent)
