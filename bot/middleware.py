"""Around every request: an id in the log and the answer, a count, and security headers."""

import re
import secrets
from collections.abc import Awaitable, Callable

import structlog
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from bot.errors import answer_unexpected

REQUEST_ID = "X-Request-Id"
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

_GOOD_ID = re.compile(r"^[A-Za-z0-9._-]{1,64}$")

Next = Callable[[Request], Awaitable[Response]]


def add_middleware(app: FastAPI) -> None:
    """Wrap all routes; a route may set its own security headers."""
    app.middleware("http")(_around)


async def _around(request: Request, call_next: Next) -> Response:
    given = request.headers.get(REQUEST_ID, "")
    request_id = given if _GOOD_ID.match(given) else secrets.token_hex(8)
    with structlog.contextvars.bound_contextvars(request_id=request_id):
        response = await _answer(request, call_next)
    response.headers[REQUEST_ID] = request_id
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    _count(request, response.status_code)
    return response


async def _answer(request: Request, call_next: Next) -> Response:
    try:
        return await call_next(request)
    except Exception as error:  # noqa: BLE001 - the last resort; it is logged with its traceback
        return answer_unexpected(request, error)


def _count(request: Request, status: int) -> None:
    """Count by the route's pattern, so that made-up paths add no labels."""
    route = getattr(request.scope.get("route"), "path", "other")
    request.app.state.metrics.requests.labels(route, str(status)).inc()
