"""The HTTP surface: who is refused, how, and what the answer's lines promise."""

import json
import time
from pathlib import Path

import httpx
import pytest

from agent.app import create_app
from rankscope.errors import ConfigurationError, NotAuthentic
from rankscope.signing import NONCE_HEADER, sign_request, verify_line
from tests.agent.client import Client
from tests.agent.conftest import Serve, agent_settings
from tests.agent.targets import JOB, Targets

BODY = {"job_id": JOB, "samples": 1}


def refused(response: httpx.Response, status: int) -> str:
    assert response.status_code == status, response.text
    answer = response.json()
    assert answer["next_step"]
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


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/captures"), ("POST", "/v1/nccl"), ("GET", "/v1/jobs")]
)
def test_a_wrong_key_and_no_key_are_refused(client: Client, method: str, path: str) -> None:
    body = json.dumps(BODY).encode()
    wrong = sign_request("another key", method, path, body)
    for headers in (wrong.headers, {}):
        response = client.http.request(method, path, content=body, headers=headers)
        assert "signature does not match" in refused(response, 401)


def test_a_signature_covers_path_and_body(client: Client) -> None:
    signed = sign_request(client.secret, "POST", "/v1/captures", b"{}")
    assert refused(client.send("POST", "/v1/captures", BODY, signed), 401)
    body = json.dumps(BODY).encode()
    signed = sign_request(client.secret, "POST", "/v1/captures", body)
    assert refused(client.send("POST", "/v1/nccl", BODY, signed), 401)


def test_a_request_is_good_once(client: Client) -> None:
    signed = sign_request(client.secret, "GET", "/v1/jobs")
    assert client.send("GET", "/v1/jobs", None, signed).status_code == 200
    assert "already used" in refused(client.send("GET", "/v1/jobs", None, signed), 401)


def test_a_skewed_clock_is_told_from_a_wrong_key(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: now - 400)
        signed = sign_request(client.secret, "GET", "/v1/jobs")
    error = refused(client.send("GET", "/v1/jobs", None, signed), 401)
    assert "clock" in error


def test_a_large_body_is_refused(client: Client) -> None:
    error = refused(client.send("POST", "/v1/captures", {"job_id": "x" * 70_000}), 413)
    assert "64 KiB" in error


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
    assert refused(client.send("POST", "/v1/captures", body), 400)


def test_a_body_that_is_no_json_is_refused(client: Client) -> None:
    for raw in (b"{", b"\xff\xfe", b'{"job_id": "jo-\xff"}', b'{"start_at": NaN}'):
        signed = sign_request(client.secret, "POST", "/v1/captures", raw)
        response = client.http.post("/v1/captures", content=raw, headers=signed.headers)
        assert refused(response, 400)


def test_health_and_metrics_are_open(client: Client) -> None:
    assert client.http.get("/healthz").json()["node"] == "node-a"
    client.send("POST", "/v1/captures", {})
    metrics = client.http.get("/metrics").text
    assert 'rankscope_agent_requests_refused_total{status="400"} 1.0' in metrics


@pytest.mark.integration
def test_an_unknown_job_is_answered_with_the_known_ones(client: Client, targets: Targets) -> None:
    targets.trainer(0)
    response = client.send("POST", "/v1/captures", {"job_id": "jo-other"})
    assert "no process of job jo-other" in refused(response, 404)
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
    assert "already under way" in refused(response, 429)
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
