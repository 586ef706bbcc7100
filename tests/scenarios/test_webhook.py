"""Signed webhooks against the running bot."""

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from rankscope.model.state import Job
from rankscope.queueing import Task
from rankscope.signing import SIGNATURE_HEADER, sign_webhook
from tests.scenarios.conftest import RunningBot
from tests.scenarios.queued import queued, tasks

EVENT: dict[str, Any] = {
    "id": "evt-1",
    "source": "platform",
    "type": "job.hang",
    "job": {"id": "jo-1", "name": "pretrain"},
    "message": "no step for 30 min",
}


def _post(bot: RunningBot, event: object, **headers: str) -> httpx.Response:
    body = event if isinstance(event, bytes) else json.dumps(event).encode()
    signed = sign_webhook(bot.settings.webhook_secret.get_secret_value(), body)
    return bot.http.post("/webhooks/rankscope", content=body, headers={**signed, **headers})


def test_a_good_event_is_recorded_and_enqueued_before_the_answer(bot: RunningBot) -> None:
    answer = _post(bot, EVENT)

    assert answer.status_code == 202
    assert answer.json() == {
        "status": "accepted",
        "id": "evt-1",
        "events": [{"id": "evt-1", "type": "job.hang", "job": "jo-1", "status": "accepted"}],
        "refused": [],
        "refused_count": 0,
    }
    [(job_id, name, event)] = queued(bot.redis)
    assert job_id.startswith("event-")
    assert name == Task.HANDLE_EVENT
    assert event["job"]["id"] == "jo-1"
    assert event["message"] == "no step for 30 min"


def test_the_same_event_twice_is_one_event(bot: RunningBot) -> None:
    assert _post(bot, EVENT).json()["status"] == "accepted"
    again = _post(bot, EVENT)

    assert (again.status_code, again.json()["status"]) == (202, "duplicate")
    assert len(queued(bot.redis)) == 1


def test_many_senders_of_one_event_at_once_are_one_event(bot: RunningBot) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: _post(bot, EVENT).json()["status"], range(16)))

    assert sorted(answers) == ["accepted"] + ["duplicate"] * 15
    assert len(queued(bot.redis)) == 1


def test_one_id_from_two_sources_is_two_events(bot: RunningBot) -> None:
    _post(bot, EVENT)

    assert _post(bot, {**EVENT, "source": "watcher"}).json()["status"] == "accepted"
    assert len(queued(bot.redis)) == 2


def test_an_odd_id_is_no_trouble(bot: RunningBot) -> None:
    assert _post(bot, {**EVENT, "id": "Ünï / ☃ : *"}).status_code == 202
    assert tasks(bot.redis) == [Task.HANDLE_EVENT]


def test_unknown_fields_are_tolerated(bot: RunningBot) -> None:
    assert _post(bot, {**EVENT, "novelty": {"a": 1}}).status_code == 202


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": None}, "id: expected `str`"),
        ({"id": ""}, "id: expected `str` of length >= 1"),
        ({"job": {}}, "job: object missing required field `id`"),
        ({"job": {"id": "../etc"}}, "job.id: expected `str` matching regex"),
        ({"type": "HANG"}, "type: expected `str` matching regex"),
        ({"severity": "loud"}, "severity: invalid enum value"),
        ({"time": "yesterday"}, "time: invalid RFC3339"),
        ({"schema": "rankscope.event/2"}, "schema: expected rankscope.event/1"),
        ({"nodes": [{"node": 3}]}, "nodes[0].node: expected `str`, got `int`"),
    ],
)
def test_an_unreadable_event_names_the_field(
    bot: RunningBot, change: dict[str, Any], said: str
) -> None:
    answer = _post(bot, {**EVENT, **change})

    assert answer.status_code == 422
    assert said in answer.json()["error"]
    assert "docs/webhooks.md" in answer.json()["next_step"]
    assert queued(bot.redis) == []


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_a_body_that_is_no_event_is_refused(bot: RunningBot, body: bytes) -> None:
    assert _post(bot, body).status_code == 422


def test_a_wrong_signature_is_refused_with_what_to_check(bot: RunningBot) -> None:
    answer = _post(bot, EVENT, **{SIGNATURE_HEADER: "sha256=" + "0" * 64})

    assert answer.status_code == 401
    assert "RANKSCOPE_WEBHOOK_SECRET" in answer.json()["next_step"]
    assert queued(bot.redis) == []


def test_an_unsigned_webhook_is_refused(bot: RunningBot) -> None:
    assert bot.http.post("/webhooks/rankscope", json=EVENT).status_code == 401


def test_an_old_webhook_is_refused_with_the_clock_as_reason(bot: RunningBot) -> None:
    body = json.dumps(EVENT).encode()
    headers = sign_webhook("webhook-secret", body, time.time() - 3600)
    answer = bot.http.post("/webhooks/rankscope", content=body, headers=headers)

    assert answer.status_code == 401
    assert "clock" in answer.json()["error"]


def test_too_large_a_body_is_refused(bot: RunningBot) -> None:
    answer = _post(bot, {**EVENT, "logs": [{"worker": "w", "text": "x" * 300_000}]})

    assert answer.status_code == 413
    assert "256 KB" in answer.json()["error"]


def test_a_body_without_a_length_is_counted_while_it_streams(bot: RunningBot) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(10):
            yield b"x" * 60_000

    assert bot.http.post("/webhooks/rankscope", content=chunks()).status_code == 413


def test_an_agent_outside_the_agent_networks_is_refused(bot: RunningBot) -> None:
    nodes = [{"node": "a", "endpoint": "http://10.0.0.7:8100"}]
    assert _post(bot, {**EVENT, "nodes": nodes}).status_code == 202
    outside = [*nodes, {"node": "b", "endpoint": "http://169.254.169.254/"}]
    answer = _post(bot, {**EVENT, "id": "evt-2", "nodes": outside})

    assert answer.status_code == 403
    assert "169.254.169.254" in answer.json()["error"]
    assert len(queued(bot.redis)) == 1


def test_without_redis_the_sender_is_asked_to_come_again(bot_without_redis: RunningBot) -> None:
    answer = _post(bot_without_redis, EVENT)

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert "nothing was recorded" in answer.json()["error"]


def test_the_bot_itself_changes_no_record(bot: RunningBot) -> None:
    _post(bot, EVENT)

    assert list(bot.state.all(Job)) == []
