"""Who may ask: signed requests only, each once, small ones, and not too many captures at a time.

Nonces are kept in memory. What was signed before this agent started may have been used with the one
before it, and is refused.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from agent.requests import BODY_LIMIT
from rankscope.errors import NotAuthentic, RankscopeError, StaleRequest
from rankscope.signing import SIGNATURE_HEADER, TIME_HEADER, WINDOW_S, verify_request


class Unsigned(NotAuthentic):
    """The request bears no signature at all."""


class Replayed(StaleRequest):
    """The request was used before, or may have been: before this agent started."""


class TooLarge(RankscopeError):
    """The request's body is larger than 64 KiB."""


class TooMany(RankscopeError):
    """As many captures as the agent takes at one time are under way."""


class Nonces:
    """Remembers nonces for as long as a request that bears them could still be valid."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def is_new(self, nonce: str) -> bool:
        """Remember a nonce; False when it is known."""
        now = time.monotonic()
        # In order of arrival, hence of expiry: only the oldest need a look.
        while self._until and next(iter(self._until.values())) < now:
            del self._until[next(iter(self._until))]
        if nonce in self._until:
            return False
        # A sender's clock may be ahead by one window and the request then stays valid for two.
        self._until[nonce] = now + 2 * WINDOW_S
        return True


@dataclass(frozen=True, slots=True)
class Authentic:
    """A request that was signed with our key; sender_now is the sender's clock."""

    body: bytes
    nonce: str
    sender_now: float


def authenticator(secret: str) -> Callable[[Request], Awaitable[Authentic]]:
    """Return a dependency that checks a request and gives its body.

    It raises TooLarge, Unsigned, NotAuthentic, StaleRequest or Replayed.
    """
    nonces = Nonces()
    started = time.time()

    async def authentic(request: Request) -> Authentic:
        body = await read_body(request)
        headers, path = request.headers, request.url.path
        if SIGNATURE_HEADER not in headers:
            raise Unsigned("The request is not signed.", "Sign it as docs/agent-api.md says.")

        def once(nonce: str) -> bool:
            _require_after(started, float(headers[TIME_HEADER]))
            if not nonces.is_new(nonce):
                raise Replayed("The request was already used.", "Sign every request anew.")
            return True

        nonce = verify_request(secret, request.method, path, headers, body, once)
        return Authentic(body, nonce, float(headers[TIME_HEADER]))

    return authentic


def _require_after(started: float, sent: float) -> None:
    """Refuse what was signed before the start; times have milliseconds, hence the tolerance."""
    if sent < started - 0.001:
        raise Replayed(
            f"The request was signed {started - sent:.1f} s before this agent started.",
            "Sign it anew; if that does not help, synchronise the clocks of both hosts.",
        )


async def read_body(request: Request) -> bytes:
    """Return the body; raises TooLarge as soon as it is, whatever Content-Length says."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > BODY_LIMIT:
            raise TooLarge("The request is larger than 64 KiB.", "Send only the documented fields.")
    return bytes(body)
