"""The HTTP surface: who is refused, how, and what the answer's lines promise."""

import hashlib
import hmac
import json
import time
from pathlib import Path

import httpx
import pytest

from agent.app import create_app
from agent.requests import BODY_LIMIT
from rankscope.errors import ConfigurationError, NotAuthentic
from rankscope.signing import (
    NONCE_HEADER,
    SIGNATURE_HEADER,
    TIME_HEADER,
    sign_request,
    verify_line,
)
from tests.agent.client import Client
from tests.agent.conftest import SECRET, Serve, agent_settings
from tests.agent.targets import JOB, Targets

BODY = {"job_id": JOB, "samples": 1}
ENDPOINTS = [("POST", "/v1/captures"), ("POST", "/v1/nccl"), ("GET", "/v1/jobs")]
DOCUMENT = Path(__file__).parents[2] / "docs/agent-api.md"


def refused(response: httpx.Response, status: int, code: str) -> str:
    assert response.status_code == status, response.text
    answer = response.json()
    assert answer["code"] == code
    assert answer["next_step"]
    assert f"`{code}`" in DOCUMENT.read_text()
    return str(answer["error"])


def test_without_a_key_there_is_no_agent() -> None:
    with pytest.raises(ConfigurationError, match="RANKSCOPE_AGENT_SECRET"):
        create_app(agent_settings(secret=""))


def test_without_py_spy_there_is_no_agent(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="py-spy was not found"):
        create_app(agent_settings(py_spy=str(tmp_path / "nowhere")))


@pytest.fixture
def client(serve: Serve) -> Client:
    return serve()


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_an_unsigned_request_is_refused(client: Client, method: str, path: str) -> None:
    response = client.http.request(method, path, content=json.dumps(BODY))
    assert "not signed" in refused(response, 401, "unsigned")


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_a_request_signed_with_another_key_is_refused(
    client: Client, method: str, path: str
) -> None:
    body = json.dumps(BODY).encode()
    wrong = sign_request("another key", method, path, body)
    response = client.http.request(method, path, content=body, headers=wrong.headers)
    assert "signature does not match" in refused(response, 401, "wrong_key")


@pytest.mark.parametrize("missing", [TIME_HEADER, NONCE_HEADER])
def test_a_request_without_time_or_nonce_is_refused(client: Client, missing: str) -> None:
    headers = sign_request(client.secret, "GET", "/v1/jobs").headers
    del headers[missing]
    refused(client.http.get("/v1/jobs", headers=headers), 401, "wrong_key")


@pytest.mark.parametrize("time_text", ["now", "nan", "inf", "-1", ""])
def test_a_request_whose_time_is_no_time_is_refused(client: Client, time_text: str) -> None:
    key = client.secret.encode()
    text = "\n".join(["GET", "/v1/jobs", time_text, "n", hashlib.sha256(b"").hexdigest()])
    mac = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers = {TIME_HEADER: time_text, NONCE_HEADER: "n", SIGNATURE_HEADER: mac}
    response = client.http.get("/v1/jobs", headers=headers)
    assert response.status_code == 401
    assert response.json()["code"] in {"wrong_key", "stale"}


def test_a_signature_covers_path_and_body(client: Client) -> None:
    signed = sign_request(client.secret, "POST", "/v1/captures", b"{}")
    refused(client.send("POST", "/v1/captures", BODY, signed), 401, "wrong_key")
    body = json.dumps(BODY).encode()
    signed = sign_request(client.secret, "POST", "/v1/captures", body)
    refused(client.send("POST", "/v1/nccl", BODY, signed), 401, "wrong_key")


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_a_request_is_good_once(client: Client, method: str, path: str) -> None:
    body = b"" if method == "GET" else json.dumps({"job_id": "jo-nowhere"}).encode()
    headers = sign_request(client.secret, method, path, body).headers
    first, second = (
        client.http.request(method, path, content=body, headers=headers) for _ in range(2)
    )
    assert first.status_code in {200, 404}
    assert "already used" in refused(second, 401, "replayed")


def test_what_was_signed_before_the_start_may_be_a_replay(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now - 5)
        signed = sign_request(SECRET, "GET", "/v1/jobs")
    client = serve()
    error = refused(client.send("GET", "/v1/jobs", None, signed), 401, "replayed")
    assert "before this agent started" in error


@pytest.mark.parametrize("off_s", [-400, 400])
def test_a_skewed_clock_is_told_from_a_wrong_key(
    client: Client, monkeypatch: pytest.MonkeyPatch, off_s: int
) -> None:
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now + off_s)
        signed = sign_request(client.secret, "GET", "/v1/jobs")
    error = refused(client.send("GET", "/v1/jobs", None, signed), 401, "stale")
    assert "clock" in error


@pytest.mark.parametrize(("method", "path"), ENDPOINTS)
def test_a_large_body_is_refused_before_anything_else(
    client: Client, method: str, path: str
) -> None:
    body = b"x" * (BODY_LIMIT + 1)
    for headers in ({}, sign_request(client.secret, method, path, body).headers):
        response = client.http.request(method, path, content=body, headers=headers)
        assert "64 KiB" in refused(response, 413, "too_large")


def test_a_body_of_unknown_length_is_cut_off_too(client: Client) -> None:
    pieces = (b"x" * 1024 for _ in range(100))
    refused(client.http.post("/v1/captures", content=pieces), 413, "too_large")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"job_id": "../etc"},
        {**BODY, "samples": 11},
        {**BODY, "budget_s": 0},
        {**BODY, "interval_s": 1e9},
        {**BODY, "native": ["0"]},
        {**BODY, "start_at": "soon"},
        {**BODY, "start_at": time.time() + 3600},
        [],
    ],
)
def test_an_unusable_body_is_refused(client: Client, body: object) -> None:
    refused(client.send("POST", "/v1/captures", body), 400, "unusable")


def test_a_body_that_is_no_json_is_refused(client: Client) -> None:
    for raw in (b"{", b"\xff\xfe", b'{"job_id": "jo-\xff"}', b'{"start_at": NaN}'):
        signed = sign_request(client.secret, "POST", "/v1/captures", raw)
        response = client.http.post("/v1/captures", content=raw, headers=signed.headers)
        refused(response, 400, "unusable")


def test_health_and_metrics_are_open(client: Client) -> None:
    assert client.http.get("/healthz").json()["node"] == "node-a"
    client.send("POST", "/v1/captures", {})
    metrics = client.http.get("/metrics").text
    assert 'rankscope_agent_requests_refused_total{status="400"} 1.0' in metrics


@pytest.mark.integration
def test_an_unknown_job_is_answered_with_the_known_ones(client: Client, targets: Targets) -> None:
    targets.trainer(0)
    response = client.send("POST", "/v1/captures", {"job_id": "jo-other"})
    assert "no process of job jo-other" in refused(response, 404, "unknown_job")
    assert JOB in response.json()["jobs"]


@pytest.mark.integration
def test_jobs_are_listed_with_their_ranks(client: Client, targets: Targets) -> None:
    targets.trainer(0)
    targets.trainer(1)
    answer, end = client.answer("GET", "/v1/jobs")
    assert end == {"end": True}
    assert {"job_id": JOB, "ranks": [0, 1], "world_size": 2} in answer["jobs"]


@pytest.mark.integration
def test_only_so_many_captures_at_one_time(serve: Serve, targets: Targets) -> None:
    targets.trainer(0)
    client = serve(max_captures=1)
    with client.streamed(JOB, start_at=time.time() + 50):
        response = client.send("POST", "/v1/captures", BODY)
    assert "already under way" in refused(response, 429, "busy")
    assert response.headers["Retry-After"]


@pytest.mark.integration
def test_whole_lines_of_a_cut_answer_can_be_trusted(client: Client, targets: Targets) -> None:
    targets.trainer(0)
    body = json.dumps({"job_id": JOB, "samples": 2, "interval_s": 0}).encode()
    signed = sign_request(client.secret, "POST", "/v1/captures", body)
    whole = client.http.post("/v1/captures", content=body, headers=signed.headers).text

    lines = whole[: len(whole) - 300].split("\n")
    nonce = signed.headers[NONCE_HEADER]
    assert json.loads(verify_line(client.secret, nonce, 0, lines[0]))["sample"] == 0
    with pytest.raises(NotAuthentic):
        verify_line(client.secret, nonce, 1, lines[1])
    with pytest.raises(NotAuthentic):
        verify_line(client.secret, nonce, 1, lines[0])
