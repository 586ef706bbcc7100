"""Errors as JSON: `{"error": what happened, "next_step": what to do}`, with a fitting status."""

from http import HTTPStatus

import structlog
from fastapi import FastAPI
from redis.exceptions import RedisError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse

from bot.body import TooLarge
from rankscope.errors import (
    ConfigurationError,
    NotAllowed,
    NotAuthentic,
    NotFound,
    RankscopeError,
    StoreError,
    UnusableInput,
)

RETRY_AFTER_S = "5"

# The first class that fits wins.
_STATUS: tuple[tuple[type[RankscopeError], HTTPStatus], ...] = (
    (TooLarge, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (UnusableInput, HTTPStatus.UNPROCESSABLE_ENTITY),
    (NotAuthentic, HTTPStatus.UNAUTHORIZED),
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (NotFound, HTTPStatus.NOT_FOUND),
    (ConfigurationError, HTTPStatus.SERVICE_UNAVAILABLE),
    (StoreError, HTTPStatus.SERVICE_UNAVAILABLE),
)

_log = structlog.get_logger()


def add_error_handlers(app: FastAPI) -> None:
    """Answer every foreseen error in the one form; bot.middleware answers the others."""
    app.add_exception_handler(RankscopeError, _answer_ours)
    app.add_exception_handler(RedisError, _answer_redis)
    app.add_exception_handler(TimeoutError, _answer_redis)
    app.add_exception_handler(HTTPException, _answer_http)


def _json(
    status: int, error: str, next_step: str = "", headers: dict[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": error, "next_step": next_step}, status, headers)


async def _answer_ours(request: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, RankscopeError):
        raise error
    status = next((s for kind, s in _STATUS if isinstance(error, kind)), 500)
    _log.warning("refused", path=request.url.path, status=int(status), error=error.what)
    unavailable = status == HTTPStatus.SERVICE_UNAVAILABLE
    headers = {"Retry-After": RETRY_AFTER_S} if unavailable else None
    return _json(status, error.what, error.next_step, headers)


async def _answer_redis(request: Request, error: Exception) -> JSONResponse:
    _log.error("redis unavailable", path=request.url.path, error=str(error))
    return _json(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Redis does not answer, so nothing was recorded.",
        "Send the same request again; the operator finds the cause in the bot's log.",
        {"Retry-After": RETRY_AFTER_S},
    )


async def _answer_http(_: Request, error: Exception) -> JSONResponse:
    if not isinstance(error, HTTPException):
        raise error
    headers = dict(error.headers) if error.headers else None
    return _json(error.status_code, str(error.detail), "Check the address and the method.", headers)


def answer_unexpected(request: Request, error: Exception) -> JSONResponse:
    """Answer an error nobody foresaw, without showing anything of it."""
    _log.error("unexpected error", path=request.url.path, exc_info=error)
    return _json(
        HTTPStatus.INTERNAL_SERVER_ERROR,
        "Something unexpected went wrong.",
        "Send it again; if it stays, look for the X-Request-Id of this answer in the bot's log.",
    )
