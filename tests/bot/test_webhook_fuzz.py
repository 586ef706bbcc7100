"""Whatever is posted to a webhook, the bot does not fail; without the key nothing is taken."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from redis import Redis

from bot.api_docs import DOCUMENT
from bot.app import create_app
from tests.conftest import MakeSettings

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
BOTH = (schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE)
KEY = "k" * 32
FUZZ = settings(
    max_examples=60,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("mode", BOTH)
@pytest.mark.parametrize(("token", "answers"), [(KEY, {202, 400, 404, 422}), ("wrong", {401, 404})])
def test_no_body_makes_the_bot_fail(
    redis: Redis, make_settings: MakeSettings, mode: Any, token: str, answers: set[int]
) -> None:
    app = create_app(make_settings(webhook_secret=KEY), redis)
    operation = schemathesis.openapi.from_asgi(DOCUMENT, app)["/webhooks/{source}"]["POST"]
    seen: set[int] = set()

    @FUZZ
    @given(case=operation.as_strategy(generation_mode=mode))
    def fuzz(case: Any) -> None:
        response = case.call(headers={"Authorization": f"Bearer {token}"})
        seen.add(response.status_code)

    fuzz()
    assert seen & answers
    assert all(status < 500 for status in seen)
    assert (202 in seen) <= (token == KEY)
