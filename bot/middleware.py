"""Around every request: an id in the log and the answer, a count, and security headers."""

import re
import secrets

import structlog
from fastapi import FastAPI
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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


def add_middleware(app: FastAPI) -> None:
    """Wrap all routes; a route may set its own security headers."""
    app.add_middleware(Around)


class Around:
    """Plain ASGI: Starlette's own base for middleware takes as long as the rest of a request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request with its id in the log; what is not HTTP passes as it is."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        given = request.headers.get(REQUEST_ID, "")
        request_id = given if _GOOD_ID.match(given) else secrets.token_hex(8)
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = request_id
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, send_with_headers)
            except Exception as error:
                if status:  # Half an answer is out; the server ends the connection.
                    raise
                await answer_unexpected(request, error)(scope, receive, send_with_headers)
        _count(request, status)


def _count(request: Request, status: int) -> None:
    """Count by the route's pattern, so that made-up paths add no labels."""
    route = getattr(request.scope.get("route"), "path", "other")
    request.app.state.metrics.requests.labels(route, str(status)).inc()
