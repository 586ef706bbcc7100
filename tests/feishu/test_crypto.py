import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import NotAuthentic
from rankscope.feishu import crypto


def test_the_platform_s_own_example_is_decrypted() -> None:
    encrypted = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="

    assert crypto.decrypt("test key", encrypted) == b"hello world"


@given(st.text(min_size=1), st.binary(max_size=200))
def test_what_is_encrypted_can_be_decrypted(key: str, plain: bytes) -> None:
    assert crypto.decrypt(key, crypto.encrypt(key, plain)) == plain


@pytest.mark.parametrize(
    "encrypted",
    ["", "no base64 at all", "AAAA", "A" * 40, crypto.encrypt("another key", b'{"a": "b"}' * 9)],
)
def test_what_was_not_encrypted_with_our_key_is_refused(encrypted: str) -> None:
    with pytest.raises(NotAuthentic, match="ENCRYPT_KEY"):
        crypto.decrypt("our key", encrypted)


def test_the_signature_depends_on_every_part() -> None:
    parts = ("key", "1700000000", "nonce", b"body")
    given_signature = crypto.signature(*parts)

    assert crypto.signature_matches(*parts, given_signature)
    assert not crypto.signature_matches("other", *parts[1:], given_signature)
    assert not crypto.signature_matches("key", "1700000001", *parts[2:], given_signature)
    assert not crypto.signature_matches("key", "1700000000", "n", b"body", given_signature)
    assert not crypto.signature_matches(*parts[:3], b"other", given_signature)
    assert not crypto.signature_matches(*parts, "")
