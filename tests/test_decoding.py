import msgspec
import pytest

from rankscope.decoding import decode_json


def test_json_is_decoded() -> None:
    assert decode_json(b'{"a": [1]}', dict[str, list[int]]) == {"a": [1]}


@pytest.mark.parametrize(
    "raw", [b'{"a":' * 50_000, b"[" * 50_000, b'"\xff"', b"", b"nonsense", b'{"a": "b"}']
)
def test_nothing_worse_than_a_decode_error_comes_of_it(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_json(raw, dict[str, int])
