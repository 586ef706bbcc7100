import base64
import hashlib
import json

from lark_oapi.core.utils import AESCipher

from sandbox.feishu.crypto import encrypt, sealed


def test_the_sdk_reads_what_the_emulator_encrypts() -> None:
    assert (
        AESCipher("test key").decrypt_str(encrypt("test key", "你好 world".encode()))
        == "你好 world"
    )


def test_the_documented_example_comes_out() -> None:
    # The example of the page on encryption; its IV is the first 16 bytes.
    documented = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="
    iv = base64.b64decode(documented)[:16]

    assert encrypt("test key", b"hello world", iv) == documented


def test_a_push_is_signed_over_its_body() -> None:
    push = sealed({"a": 1}, "key")
    timestamp, nonce = (
        push.headers["X-Lark-Request-Timestamp"],
        push.headers["X-Lark-Request-Nonce"],
    )

    expected = hashlib.sha256((timestamp + nonce + "key").encode() + push.body).hexdigest()

    assert push.headers["X-Lark-Signature"] == expected
    assert list(json.loads(push.body)) == ["encrypt"]


def test_without_a_key_a_push_is_plain_and_unsigned() -> None:
    push = sealed({"a": 1}, "")

    assert json.loads(push.body) == {"a": 1}
    assert "X-Lark-Signature" not in push.headers
