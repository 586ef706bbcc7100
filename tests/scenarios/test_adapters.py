"""Bodies of other systems against the running bot."""

import base64
import json
from typing import Any

import httpx
import pytest
from redis import Redis

from rankscope.queueing import Task
from rankscope.signing import sign_webhook
from tests.bot.adapters.payloads import (
    BODIES,
    SLOW_LINE,
    alert,
    alertmanager,
    cloudevent,
    dlrover,
    pod,
)
from tests.conftest import MakeSettings
from tests.scenarios.conftest import RunningBot, Start
from tests.scenarios.queued import queued

BEARER = {"Authorization": "Bearer webhook-secret"}


def post(bot: RunningBot, path: str, body: object, **headers: str) -> httpx.Response:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return bot.http.post(f"/webhooks/{path}", content=raw, headers=headers or BEARER)


def handed_over(bot: RunningBot) -> list[Any]:
    return [event for _, name, event in queued(bot.redis) if name == Task.HANDLE_EVENT]


@pytest.mark.parametrize("name", sorted(BODIES))
def test_a_body_is_recorded_once(bot: RunningBot, name: str) -> None:
    source, body, type_, job = BODIES[name]
    first, second = post(bot, source, body), post(bot, source, body)

    assert (first.status_code, first.json()["status"]) == (202, "accepted")
    assert (second.status_code, second.json()["status"]) == (202, "duplicate")
    [event] = handed_over(bot)
    assert (event["type"], event["job"]["id"]) == (type_, job)
    assert event["time"]


def test_every_alert_of_a_body_is_an_event(bot: RunningBot) -> None:
    alerts = [alert(job=f"exp-{n}", fingerprint=f"f{n}") for n in range(5)]
    answer = post(bot, "alertmanager", alertmanager(*alerts))

    assert answer.json()["refused"] == []
    assert [event["job"]["id"] for event in handed_over(bot)] == [f"exp-{n}" for n in range(5)]


def test_a_bad_alert_loses_no_good_one(bot: RunningBot) -> None:
    nameless = alert(labels={"alertname": "NodeDown"})
    answer = post(bot, "alertmanager", alertmanager(nameless, alert(), {"labels": 3}))

    assert answer.status_code == 202
    assert [event["job"]["id"] for event in handed_over(bot)] == ["exp-7"]
    assert answer.json()["refused_count"] == 2
    assert "job_id" in answer.json()["refused"][0]["next_step"]


def test_a_body_without_any_job_says_how_to_add_one(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(webhook_job_labels=("our_job",)), redis)
    answer = post(bot, "alertmanager", alertmanager(alert(labels={"alertname": "JobHang"})))

    assert answer.status_code == 422
    assert "which job" in answer.json()["error"]
    for said in ("our_job", "job_id", "RANKSCOPE_WEBHOOK_JOB_LABELS", "?job="):
        assert said in answer.json()["next_step"]
    assert queued(bot.redis) == []


def test_many_bad_alerts_are_answered_shortly(bot: RunningBot) -> None:
    answer = post(bot, "alertmanager", alertmanager(*[{"labels": {}}] * 5000))

    assert answer.status_code == 422
    assert "1001 items" in answer.json()["error"]
    assert len(answer.content) < 5000


@pytest.mark.parametrize(
    "how", [{"params": {"job": "exp-9"}}, {"headers": {"X-Rankscope-Job": "exp-9"}}]
)
def test_log_lines_get_their_job_from_the_request(bot: RunningBot, how: dict[str, Any]) -> None:
    headers = {**BEARER, **how.get("headers", {})}
    answer = bot.http.post(
        "/webhooks/aistudio", content=SLOW_LINE, headers=headers, params=how.get("params")
    )

    assert answer.status_code == 202
    [event] = handed_over(bot)
    assert (event["job"]["id"], event["labels"]["ratio"]) == ("exp-9", "1.50")


def test_a_binary_cloudevent_has_its_attributes_in_headers(bot: RunningBot) -> None:
    attributes = {"ce-specversion": "1.0", "ce-id": "1", "ce-source": "/s", "ce-subject": "exp-7"}
    headers = {**BEARER, **attributes, "ce-type": "org.example.job.slow"}
    answer = post(bot, "cloudevents", {"message": "slower"}, **headers)

    assert answer.status_code == 202
    assert handed_over(bot)[0]["type"] == "job.slow"
    assert (
        post(bot, "cloudevents", {"message": "slower"}, **headers).json()["status"] == "duplicate"
    )


def test_signed_bodies_are_taken_everywhere(bot: RunningBot) -> None:
    body = json.dumps(pod()).encode()

    assert post(bot, "kubernetes", body, **sign_webhook("webhook-secret", body)).status_code == 202


@pytest.mark.parametrize("password", ["webhook-secret", "web"])
def test_basic_authentication_is_checked_by_its_password(bot: RunningBot, password: str) -> None:
    token = base64.b64encode(f"anybody:{password}".encode()).decode()
    answer = post(bot, "grafana", alertmanager(), Authorization=f"Basic {token}")

    assert answer.status_code == (202 if password == "webhook-secret" else 401)


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer wrong", "Basic !!", "Digest x", "Bearer é"]
)
def test_a_wrong_token_is_refused(bot: RunningBot, authorization: str) -> None:
    answer = bot.http.post(
        "/webhooks/alertmanager",
        json=alertmanager(),
        headers=[(b"Authorization", authorization.encode("latin-1"))],
    )

    assert answer.status_code == 401
    assert "RANKSCOPE_WEBHOOK_SECRETS" in answer.json()["next_step"]
    assert queued(bot.redis) == []


def test_a_token_does_not_help_a_wrong_signature(bot: RunningBot) -> None:
    wrong = {**sign_webhook("another", b"{}"), **BEARER}

    assert post(bot, "alertmanager", alertmanager(), **wrong).status_code == 401


def test_a_source_with_its_own_key_takes_no_other(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(webhook_secrets={"grafana": "g-key", "slurm": ""}), redis)

    own = {"Authorization": "Bearer g-key"}
    assert post(bot, "grafana", alertmanager(), **own).status_code == 202
    assert post(bot, "grafana", alertmanager()).status_code == 401
    assert post(bot, "alertmanager", alertmanager()).status_code == 202
    assert post(bot, "alertmanager", alertmanager(), **own).status_code == 401
    assert post(bot, "slurm", {}, Authorization="Bearer").status_code == 401


def test_without_any_key_nothing_is_taken(
    start: Start, make_settings: MakeSettings, redis: Redis
) -> None:
    bot = start(make_settings(webhook_secret=""), redis)

    assert post(bot, "alertmanager", alertmanager(), Authorization="Bearer").status_code == 401


def test_an_unknown_source_hears_of_the_known_ones(bot: RunningBot) -> None:
    answer = post(bot, "pagerduty", {})

    assert answer.status_code == 404
    assert "alertmanager" in answer.json()["next_step"]


def test_groups_of_alerts_may_be_larger_than_events(bot: RunningBot) -> None:
    padded = alertmanager(alert(), note="x" * 600_000)

    assert post(bot, "alertmanager", padded).status_code == 202
    assert post(bot, "alertmanager", alertmanager(note="x" * 1_100_000)).status_code == 413


def test_events_of_one_body_are_handed_over_in_their_order(bot: RunningBot) -> None:
    later = cloudevent(id="2", time="2025-03-02T10:05:00Z")
    earlier = cloudevent("x.job.running", id="1", time="2025-03-02T09:00:00Z")
    post(bot, "cloudevents", [later, earlier])

    assert [event["type"] for event in handed_over(bot)] == ["job.running", "job.hang"]


def test_lines_of_json_are_one_body(bot: RunningBot) -> None:
    lines = b"\n".join(json.dumps(cloudevent(id=n)).encode() for n in "12")

    assert len(post(bot, "cloudevents", lines).json()["events"]) == 2


def test_without_redis_alertmanager_is_asked_to_come_again(bot_without_redis: RunningBot) -> None:
    answer = post(bot_without_redis, "alertmanager", alertmanager())

    assert answer.status_code == 503


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 100_000, b'"\\ud800"', b"\xff", b""])
def test_bytes_that_are_no_event_are_refused(bot: RunningBot, body: bytes) -> None:
    for source in ("alertmanager", "generic", "dlrover", "aistudio"):
        assert post(bot, source, body).status_code == 422


def test_a_line_of_dlrover_without_a_job_says_so(bot: RunningBot) -> None:
    answer = post(bot, "dlrover", dlrover(reason="Training is hang").encode())

    assert answer.status_code == 422
    assert "?job=" in answer.json()["next_step"]


def test_the_api_page_shows_every_route_and_loads_nothing(bot: RunningBot) -> None:
    page = bot.http.get("/docs/api")

    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert "/webhooks/{source}" in page.text
    assert "http://" not in page.text
    assert "https://" not in page.text
    for secret in ("webhook-secret", "agent-secret", "encrypt-key"):
        assert secret not in page.text


def test_the_openapi_document_is_whole(bot: RunningBot) -> None:
    document = bot.http.get("/docs/api/openapi.json").json()
    schemas = document["components"]["schemas"]
    references = json.dumps(document).split('"$ref": "#/components/schemas/')[1:]

    assert {part.partition('"')[0] for part in references} <= schemas.keys()
    assert "/metrics" not in document["paths"]
    [source] = [
        one
        for one in document["paths"]["/webhooks/{source}"]["post"]["parameters"]
        if one["name"] == "source"
    ]
    assert "alertmanager" in source["schema"]["enum"]
