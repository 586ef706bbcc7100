import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import NotAuthentic, StaleRequest
from rankscope.signing import (
    SIGNATURE_HEADER,
    TIME_HEADER,
    sign_line,
    sign_request,
    sign_webhook,
    verify_line,
    verify_request,
    verify_webhook,
)

KEY = "a key"


def fresh(_nonce: str) -> bool:
    return True


def once() -> Callable[[str], bool]:
    seen: set[str] = set()

    def check(nonce: str) -> bool:
        new = nonce not in seen
        seen.add(nonce)
        return new

    return check


def test_a_signed_request_is_accepted_whatever_the_case_of_its_headers() -> None:
    signed = sign_request(KEY, "post", "/v1/captures", b"{}")
    lower = {name.lower(): value for name, value in signed.headers.items()}

    nonce = verify_request(KEY, "POST", "/v1/captures", lower, b"{}", fresh)

    assert nonce == signed.nonce


@pytest.mark.parametrize(
    ("key", "method", "path", "body"),
    [
        ("another key", "POST", "/v1/captures", b"{}"),
        (KEY, "GET", "/v1/captures", b"{}"),
        (KEY, "POST", "/v1/nccl", b"{}"),
        (KEY, "POST", "/v1/captures", b"{ }"),
        ("", "POST", "/v1/captures", b"{}"),
    ],
)
def test_a_request_with_anything_changed_is_refused(
    key: str, method: str, path: str, body: bytes
) -> None:
    signed = sign_request(KEY, "POST", "/v1/captures", b"{}")

    with pytest.raises(NotAuthentic):
        verify_request(key, method, path, signed.headers, body, fresh)


def test_an_empty_key_never_authenticates() -> None:
    signed = sign_request("", "POST", "/v1/captures")

    with pytest.raises(NotAuthentic):
        verify_request("", "POST", "/v1/captures", signed.headers, b"", fresh)


def test_a_skewed_clock_is_told_apart_from_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 900)
    signed = sign_request(KEY, "POST", "/v1/captures")
    monkeypatch.setattr(time, "time", lambda: now)

    with pytest.raises(StaleRequest, match="900 s"):
        verify_request(KEY, "POST", "/v1/captures", signed.headers, b"", fresh)


def test_a_replayed_request_is_refused() -> None:
    signed = sign_request(KEY, "POST", "/v1/captures")
    check = once()
    verify_request(KEY, "POST", "/v1/captures", signed.headers, b"", check)

    with pytest.raises(StaleRequest, match="already used"):
        verify_request(KEY, "POST", "/v1/captures", signed.headers, b"", check)


@given(st.text(), st.text(), st.text())
def test_hostile_headers_are_refused_and_never_crash(sent: str, nonce: str, signature: str) -> None:
    headers = {"X-Rankscope-Time": sent, "X-Rankscope-Nonce": nonce, SIGNATURE_HEADER: signature}

    with pytest.raises(NotAuthentic):
        verify_request(KEY, "POST", "/", headers, b"", fresh)


def test_a_line_is_bound_to_its_request_and_place() -> None:
    signed = sign_line(KEY, "nonce", 3, '{"node": "gpu07"}')

    assert verify_line(KEY, "nonce", 3, signed) == '{"node": "gpu07"}'
    for key, nonce, number in [("x", "nonce", 3), (KEY, "other", 3), (KEY, "nonce", 4)]:
        with pytest.raises(NotAuthentic):
            verify_line(key, nonce, number, signed)


def test_a_cut_line_is_refused() -> None:
    signed = sign_line(KEY, "nonce", 0, '{"node": "gpu07"}')

    with pytest.raises(NotAuthentic, match="Line 0"):
        verify_line(KEY, "nonce", 0, signed[:-1])


def test_a_webhook_signature_covers_time_and_body() -> None:
    headers = sign_webhook(KEY, b"body")

    verify_webhook(KEY, headers, b"body")
    with pytest.raises(NotAuthentic):
        verify_webhook(KEY, headers, b"other")
    with pytest.raises(NotAuthentic):
        verify_webhook(KEY, {**headers, TIME_HEADER: "0"}, b"body")


def test_an_old_webhook_is_stale() -> None:
    with pytest.raises(StaleRequest):
        verify_webhook(KEY, sign_webhook(KEY, b"body", now=1.0), b"body")
    with pytest.raises(NotAuthentic):
        verify_webhook(KEY, sign_webhook(KEY, b"body", now=float("nan")), b"body")
