import httpx
import pytest
from fastapi import FastAPI
from redis.exceptions import ConnectionError as RedisConnectionError

from bot.body import TooLarge
from bot.errors import add_error_handlers
from rankscope import errors


def _app(error: Exception) -> FastAPI:
    app = FastAPI()
    add_error_handlers(app)

    @app.get("/")
    async def fail() -> None:
        raise error

    return app


async def _ask(error: Exception) -> httpx.Response:
    transport = httpx.ASGITransport(_app(error), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
        return await client.get("/")


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (errors.UnusableInput, 422),
        (TooLarge, 413),
        (errors.NotAuthentic, 401),
        (errors.StaleRequest, 401),
        (errors.NotAllowed, 403),
        (errors.NotFound, 404),
        (errors.ConfigurationError, 503),
        (errors.StoreError, 503),
        (errors.CaptureError, 500),
    ],
)
async def test_our_errors_say_what_and_what_next(
    kind: type[errors.RankscopeError], status: int
) -> None:
    answer = await _ask(kind("It broke.", "Mend it."))

    assert answer.status_code == status
    assert answer.json() == {"error": "It broke.", "next_step": "Mend it."}
    assert ("Retry-After" in answer.headers) is (status == 503)


@pytest.mark.parametrize("error", [RedisConnectionError("refused"), TimeoutError()])
async def test_a_silent_redis_is_unavailable(error: Exception) -> None:
    answer = await _ask(error)

    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
