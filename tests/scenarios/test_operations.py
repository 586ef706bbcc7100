"""Health, metrics, headers and errors of the running bot."""

import json

import pytest
from redis import Redis

from tests.conftest import MakeSettings
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.test_heartbeat import _beat
from tests.scenarios.test_webhook import EVENT, _post


def test_health_and_readiness(bot: RunningBot) -> None:
    assert bot.http.get("/healthz").json() == {"status": "ok"}
    assert bot.http.get("/readyz").json() == {"status": "ready"}


def test_without_redis_the_bot_lives_but_is_not_ready(bot_without_redis: RunningBot) -> None:
    assert bot_without_redis.http.get("/healthz").status_code == 200
    assert bot_without_redis.http.get("/readyz").status_code == 503


def test_metrics_count_requests_queues_and_heartbeats(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(), redis)
    _post(bot, EVENT)
    _beat(bot)
    bot.http.get("/made/up")
    text = bot.http.get("/metrics").text

    assert 'requests_total{route="/webhooks/{source}",status="202"} 1.0' in text
    assert 'requests_total{route="other",status="404"} 1.0' in text
    assert 'rankscope_queue_jobs{queue="rankscope-chat",state="queued"} 1.0' in text
    assert 'rankscope_agent_heartbeat_age_seconds{node="node-0"}' in text
    assert "made" not in text


def test_metrics_need_redis(bot_without_redis: RunningBot) -> None:
    assert bot_without_redis.http.get("/metrics").status_code == 503


def test_every_answer_has_security_headers_and_a_request_id(bot: RunningBot) -> None:
    headers = bot.http.get("/nothing").headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Request-Id"]


@pytest.mark.parametrize(("given", "kept"), [("abc-1", True), ("a b;c", False), ("x" * 65, False)])
def test_a_good_request_id_is_kept(bot: RunningBot, given: str, kept: bool) -> None:
    answer = bot.http.get("/healthz", headers={"X-Request-Id": given})

    assert (answer.headers["X-Request-Id"] == given) is kept


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/openapi.json", "/"])
def test_nothing_about_the_inside_is_served(bot: RunningBot, path: str) -> None:
    answer = bot.http.get(path)

    assert answer.status_code == 404
    assert set(answer.json()) == {"error", "next_step"}


def test_no_answer_contains_a_secret(bot: RunningBot) -> None:
    answers = [
        _post(bot, {**EVENT, "job": {}}),
        bot.http.post("/feishu/events", content=b"{}"),
        _beat(bot, key="wrong"),
        bot.http.get("/metrics"),
    ]
    said = json.dumps([answer.text for answer in answers])

    for secret in ("webhook-secret", "agent-secret", "encrypt-key", "verification-token"):
        assert secret not in said
