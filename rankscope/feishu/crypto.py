"""How Feishu encrypts and signs what it pushes (its guide "send notifications to your server").

Encryption: base64 of a 16-byte IV and AES-256-CBC with PKCS#7; the key is SHA-256 of the Encrypt
Key. Signature: SHA-256 over time, nonce, Encrypt Key and the raw body, as hexadecimal.
"""

import base64
import binascii
import hashlib
import hmac
import secrets

from Crypto.Cipher import AES
from Crypto.Util.Padding import pad, unpad

from rankscope.errors import NotAuthentic

TIME_HEADER = "X-Lark-Request-Timestamp"
NONCE_HEADER = "X-Lark-Request-Nonce"
SIGNATURE_HEADER = "X-Lark-Signature"


def _cipher_key(encrypt_key: str) -> bytes:
    return hashlib.sha256(encrypt_key.encode()).digest()


def encrypt(encrypt_key: str, plain: bytes) -> str:
    """Encrypt as Feishu does."""
    iv = secrets.token_bytes(AES.block_size)
    cipher = AES.new(_cipher_key(encrypt_key), AES.MODE_CBC, iv)
    return base64.b64encode(iv + cipher.encrypt(pad(plain, AES.block_size))).decode()


def decrypt(encrypt_key: str, encrypted: str) -> bytes:
    """Decrypt what Feishu encrypted; raises NotAuthentic when the key does not fit."""
    try:
        raw = base64.b64decode(encrypted, validate=True)
        iv, body = raw[: AES.block_size], raw[AES.block_size :]
        cipher = AES.new(_cipher_key(encrypt_key), AES.MODE_CBC, iv)
        return unpad(cipher.decrypt(body), AES.block_size)
    except (binascii.Error, ValueError):
        raise NotAuthentic(
            "The request cannot be decrypted.",
            "Check that RANKSCOPE_FEISHU_ENCRYPT_KEY is the app's Encrypt Key.",
        ) from None


def signature(encrypt_key: str, timestamp: str, nonce: str, body: bytes) -> str:
    """Return the signature of a raw body."""
    return hashlib.sha256((timestamp + nonce + encrypt_key).encode() + body).hexdigest()


def signature_matches(
    encrypt_key: str, timestamp: str, nonce: str, body: bytes, given: str
) -> bool:
    """Compare a signature in constant time."""
    expected = signature(encrypt_key, timestamp, nonce, body)
    return hmac.compare_digest(expected.encode(), given.encode())


def sign(encrypt_key: str, timestamp: str, nonce: str, body: bytes) -> dict[str, str]:
    """Return the headers with which Feishu pushes a body."""
    return {
        TIME_HEADER: timestamp,
        NONCE_HEADER: nonce,
        SIGNATURE_HEADER: signature(encrypt_key, timestamp, nonce, body),
    }
