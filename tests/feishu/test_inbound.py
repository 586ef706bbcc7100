import json

import pytest

from rankscope.errors import ConfigurationError, NotAuthentic, StaleRequest, UnusableInput
from rankscope.feishu import crypto
from rankscope.feishu.inbound import Envelope, open_envelope
from tests.feishu.payloads import (
    KEY,
    NOW,
    TOKEN,
    Json,
    challenge,
    encrypted,
    envelope,
    message,
    pushed,
)


def _open(body: bytes, headers: dict[str, str], key: str = KEY, token: str = TOKEN) -> Envelope:
    return open_envelope(body, headers, key, token, NOW)


def test_an_encrypted_and_signed_event_is_opened() -> None:
    opened = _open(*pushed(message(event_id="ev-1")))

    assert (opened.event_id, opened.event_type) == ("ev-1", "im.message.receive_v1")
    assert opened.event["message"]["message_id"] == "om_1"
    assert opened.challenge is None


def test_header_names_are_taken_in_any_case() -> None:
    body, headers = pushed(message())

    assert _open(body, {name.lower(): value for name, value in headers.items()}).event_id


def test_a_wrong_signature_is_refused() -> None:
    body, headers = pushed(message())
    headers[crypto.SIGNATURE_HEADER] = "0" * 64

    with pytest.raises(NotAuthentic, match="signature does not match"):
        _open(body, headers)


def test_a_changed_body_is_refused() -> None:
    body, headers = pushed(message())

    with pytest.raises(NotAuthentic, match="signature"):
        _open(body + b" ", headers)


@pytest.mark.parametrize("name", [crypto.TIME_HEADER, crypto.NONCE_HEADER])
def test_a_signature_without_time_or_nonce_is_refused(name: str) -> None:
    body, headers = pushed(message())
    del headers[name]

    with pytest.raises(NotAuthentic):
        _open(body, headers)


@pytest.mark.parametrize("skew", [-301, 301, 86_400])
def test_a_time_outside_the_window_is_stale(skew: float) -> None:
    with pytest.raises(StaleRequest, match="clock"):
        _open(*pushed(message(), now=NOW + skew))


@pytest.mark.parametrize("skew", [-300, 0, 300])
def test_a_time_inside_the_window_is_good(skew: float) -> None:
    assert _open(*pushed(message(), now=NOW + skew)).event_id


@pytest.mark.parametrize("sent", ["nan", "soon", "inf"])
def test_a_time_that_is_no_number_is_refused(sent: str) -> None:
    body = encrypted(message())

    with pytest.raises(NotAuthentic):
        _open(body, crypto.sign(KEY, sent, "nonce", body))


def test_a_plain_body_is_refused_when_a_key_is_set_even_if_signed() -> None:
    body = json.dumps(message()).encode()

    with pytest.raises(NotAuthentic, match="not encrypted"):
        _open(body, crypto.sign(KEY, str(int(NOW)), "nonce", body))


def test_an_unsigned_event_is_refused_even_if_encrypted() -> None:
    with pytest.raises(NotAuthentic, match="not signed"):
        _open(encrypted(message()), {})


@pytest.mark.parametrize(
    "body", [b"", b"[]", b'{"encrypt": 1}', b'{"encrypt": "AAAA"}', encrypted({"a": 1}, "other")]
)
def test_every_unsigned_failure_gets_the_same_answer(body: bytes) -> None:
    with pytest.raises(NotAuthentic, match="not signed"):
        _open(body, {})


def test_the_url_check_may_be_unsigned_but_not_plain() -> None:
    assert _open(encrypted(challenge()), {}).challenge == "ajls384kdjx98XX"
    with pytest.raises(NotAuthentic, match="not signed"):
        _open(json.dumps(challenge()).encode(), {})


def test_the_url_check_may_be_signed() -> None:
    assert _open(*pushed(challenge())).challenge == "ajls384kdjx98XX"


def test_the_url_check_needs_the_right_token() -> None:
    with pytest.raises(NotAuthentic, match="token"):
        _open(encrypted(challenge("wrong")), {})


def test_a_wrong_token_is_refused() -> None:
    with pytest.raises(NotAuthentic, match="token"):
        _open(*pushed(envelope("im.message.receive_v1", {}, token="wrong")))


def test_without_a_key_the_token_alone_is_checked() -> None:
    body = json.dumps(message(event_id="ev-1")).encode()

    assert _open(body, {}, key="").event_id == "ev-1"
    with pytest.raises(NotAuthentic, match="token"):
        _open(body, {}, key="", token="another")


def test_without_a_token_the_signature_alone_is_checked() -> None:
    assert _open(*pushed(message()), token="").event_id


def test_without_key_and_token_nothing_is_accepted() -> None:
    with pytest.raises(ConfigurationError, match="ENCRYPT_KEY"):
        _open(b"{}", {}, key="", token="")


@pytest.mark.parametrize(
    "payload",
    [
        {"ts": "1", "uuid": "u", "token": TOKEN, "type": "event_callback", "event": {}},
        {"schema": "1.0", "header": {"event_id": "e", "token": TOKEN}, "event": {}},
        {"schema": "2.0", "header": {"token": TOKEN}, "event": {}},
    ],
)
def test_other_schemas_are_refused_with_what_to_do(payload: Json) -> None:
    with pytest.raises(UnusableInput, match=r"2\.0"):
        _open(*pushed(payload))


def test_a_body_that_is_no_json_is_unusable() -> None:
    with pytest.raises(UnusableInput, match="JSON"):
        _open(b"\xff\xfe", {}, key="")
