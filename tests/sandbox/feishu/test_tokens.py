import pytest

from sandbox.feishu.clock import StoppedClock
from sandbox.feishu.codes import ApiError
from sandbox.feishu.tokens import CardTokens, TenantTokens


def test_the_same_token_is_handed_out_until_half_an_hour_is_left() -> None:
    clock = StoppedClock()
    tokens = TenantTokens(clock)
    first, expire = tokens.issue()
    clock.advance(5000)
    again, left = tokens.issue()
    clock.advance(500)
    fresh, full = tokens.issue()

    assert (first, expire, left, full) == (again, 7200, 2200, 7200)
    assert fresh != first
    tokens.check(f"Bearer {first}")


@pytest.mark.parametrize(
    ("header", "code"), [("", 99991661), ("Bearer x", 99991671), ("Bearer t-unknown", 99991663)]
)
def test_a_bad_token_is_refused(header: str, code: int) -> None:
    with pytest.raises(ApiError) as refused:
        TenantTokens(StoppedClock()).check(header)
    assert refused.value.code == code


def test_a_token_expires() -> None:
    clock = StoppedClock()
    tokens = TenantTokens(clock)
    token, expire = tokens.issue()
    clock.advance(expire)

    with pytest.raises(ApiError) as refused:
        tokens.check(f"Bearer {token}")
    assert refused.value.code == 99991663


def test_a_card_token_works_twice_within_half_an_hour() -> None:
    clock = StoppedClock()
    tokens = CardTokens(clock)
    token, late = tokens.issue("om_1"), tokens.issue("om_1")
    for _ in range(2):
        assert tokens.message_of(token) == "om_1"
        tokens.use(token)
    with pytest.raises(ApiError) as used_up:
        tokens.message_of(token)
    clock.advance(1800)
    with pytest.raises(ApiError) as expired:
        tokens.message_of(late)
    with pytest.raises(ApiError) as unknown:
        tokens.message_of("c-unknown")

    assert [e.value.code for e in (used_up, expired, unknown)] == [300040, 300030, 300020]
