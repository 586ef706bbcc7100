"""How the platform encrypts and signs what it pushes.

Source: event subscription guide, "send notifications to developers' server" and its encryption
example: AES-256-CBC with the SHA-256 of the Encrypt Key, IV first, then base64; the signature is
the SHA-256 of timestamp, nonce, key and the body as sent.
"""

import base64
import hashlib
import json
import secrets
import time
from dataclasses import dataclass

from Crypto.Cipher import AES
from Crypto.Util.Padding import pad


@dataclass(frozen=True, slots=True)
class Push:
    """A request to the bot: headers and body."""

    headers: dict[str, str]
    body: bytes


def encrypt(key: str, plain: bytes, iv: bytes = b"") -> str:
    """Return plain text encrypted as the platform does; iv is 16 random bytes when empty."""
    iv = iv or secrets.token_bytes(16)
    cipher = AES.new(hashlib.sha256(key.encode()).digest(), AES.MODE_CBC, iv)
    return base64.b64encode(iv + cipher.encrypt(pad(plain, AES.block_size))).decode()


def signature(timestamp: str, nonce: str, key: str, body: bytes) -> str:
    """Return the signature of a push."""
    return hashlib.sha256((timestamp + nonce + key).encode() + body).hexdigest()


def sealed(payload: object, encrypt_key: str) -> Push:
    """Return the request that carries a payload; plain and unsigned without an Encrypt Key.

    It is signed with the host's time, not the emulator's: the bot checks it against its own clock.
    """
    headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "Feishu-Emulator"}
    plain = json.dumps(payload, ensure_ascii=False).encode()
    if not encrypt_key:
        return Push(headers, plain)
    body = json.dumps({"encrypt": encrypt(encrypt_key, plain)}).encode()
    timestamp, nonce = f"{time.time():.0f}", secrets.token_hex(8)
    headers["X-Lark-Request-Timestamp"] = timestamp
    headers["X-Lark-Request-Nonce"] = nonce
    headers["X-Lark-Signature"] = signature(timestamp, nonce, encrypt_key, body)
    return Push(headers, body)
