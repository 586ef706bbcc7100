"""Tenant access tokens, and the tokens of clicked cards."""

import hmac
import secrets
from dataclasses import dataclass
from typing import Final

from sandbox.feishu.clock import Clock
from sandbox.feishu.codes import ApiError

TENANT_TOKEN_S: Final = 7200
RENEW_BELOW_S: Final = 1800
"""A token with half an hour left is handed out again (tenant_access_token_internal)."""
CARD_TOKEN_S: Final = 1800.0
CARD_TOKEN_USES: Final = 2


class TenantTokens:
    """Hands out and checks the app's tokens; older ones stay valid until they expire."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._expires: dict[str, float] = {}

    def issue(self) -> tuple[str, int]:
        """Return a token and its remaining seconds."""
        now = self._clock.now()
        for token, expires in self._expires.items():
            if expires - now >= RENEW_BELOW_S:
                return token, int(expires - now)
        token = f"t-{secrets.token_hex(20)}"
        self._expires[token] = now + TENANT_TOKEN_S
        return token, TENANT_TOKEN_S

    def check(self, authorization: str) -> None:
        """Check an Authorization header; raises ApiError."""
        token = authorization.removeprefix("Bearer ").strip()
        if not token:
            raise ApiError(99991661)
        if not token.startswith(("t-", "u-")):
            raise ApiError(99991671)
        if self._expires.get(token, 0.0) <= self._clock.now():
            raise ApiError(99991663)

    def revoke_all(self) -> None:
        """Make every token invalid, as a new app secret does."""
        self._expires.clear()


@dataclass(slots=True)
class _CardToken:
    message_id: str
    expires: float
    uses: int = 0


class CardTokens:
    """Tokens that a click carries for a delayed card update: 30 minutes, two uses."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._tokens: dict[str, _CardToken] = {}

    def issue(self, message_id: str) -> str:
        """Return a new token for a message."""
        token = f"c-{secrets.token_hex(20)}"
        self._tokens[token] = _CardToken(message_id, self._clock.now() + CARD_TOKEN_S)
        return token

    def message_of(self, token: str) -> str:
        """Return the message a token may update; raises ApiError."""
        known = self._tokens.get(token)
        if known is None:
            raise ApiError(300020)
        if known.expires <= self._clock.now():
            raise ApiError(300030)
        if known.uses >= CARD_TOKEN_USES:
            raise ApiError(300040)
        return known.message_id

    def use(self, token: str) -> None:
        """Count one successful update."""
        self._tokens[token].uses += 1


def same_secret(one: str, other: str) -> bool:
    """Compare two secrets without telling how much of them is alike."""
    return hmac.compare_digest(one.encode(), other.encode())
