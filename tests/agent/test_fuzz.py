"""Requests that fit the OpenAPI document, and ones that break it, never make the agent fail."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings

from agent.openapi import document
from rankscope.signing import sign_request
from tests.agent.client import Client
from tests.agent.conftest import Serve
from tests.agent.targets import JOB, Targets

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
SCHEMA = schemathesis.openapi.from_dict(document())
VALID, BROKEN = schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE
CHECKS = [
    schemathesis.checks.not_a_server_error,
    *schemathesis.checks.CHECKS.get_by_names(
        ["status_code_conformance", "content_type_conformance", "response_schema_conformance"]
    ),
]
FUZZ = settings(
    max_examples=40,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


class Signer(requests.auth.AuthBase):
    """Signs what is really sent, whatever its form."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        body: Any = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        path = request.path_url.partition("?")[0]
        signed = sign_request(self.secret, request.method or "", path, body)
        request.headers.update(signed.headers)
        return request


@pytest.fixture
def signing(serve: Serve) -> Iterator[tuple[Client, requests.Session]]:
    client = serve(max_captures=16)
    with requests.Session() as session:
        session.trust_env = False
        session.auth = Signer(client.secret)
        yield client, session


def check(case: Any, client: Client, session: requests.Session) -> int:
    """Send a case; its status, content type and body must be what the document says."""
    response = case.call(base_url=str(client.http.base_url), session=session)
    case.validate_response(response, checks=CHECKS)
    return int(response.status_code)


def cases(name: str, mode: Any) -> Any:
    method, path = name.split()
    return SCHEMA[path][method].as_strategy(generation_mode=mode)


@pytest.mark.parametrize(
    ("name", "mode", "answers"),
    [
        ("POST /v1/captures", VALID, {400, 404}),  # 400: start_at is too far ahead
        ("POST /v1/captures", BROKEN, {400}),
        ("POST /v1/nccl", VALID, {404}),
        ("POST /v1/nccl", BROKEN, {400}),
        ("GET /v1/jobs", VALID, {200}),
        ("GET /healthz", VALID, {200}),
        ("GET /metrics", VALID, {200}),
    ],
)
def test_no_request_makes_the_agent_fail(
    signing: tuple[Client, requests.Session], name: str, mode: Any, answers: set[int]
) -> None:
    seen = set()

    @FUZZ
    @given(case=cases(name, mode))
    def fuzz(case: Any) -> None:
        seen.add(check(case, *signing))

    fuzz()
    assert seen >= answers
    assert not seen & {401, 413, 429}


@pytest.mark.integration
@pytest.mark.parametrize("name", ["POST /v1/captures", "POST /v1/nccl"])
def test_no_request_about_a_real_job_makes_the_agent_fail(
    signing: tuple[Client, requests.Session], targets: Targets, name: str
) -> None:
    targets.trainer(0)
    seen = set()

    @settings(FUZZ, max_examples=15)
    @given(case=cases(name, VALID))
    def fuzz(case: Any) -> None:
        case.body.update(job_id=JOB)
        # Moments and pauses are left out: they would only be waited for.
        case.body.pop("start_at", None)
        if "captures" in name:
            case.body.update(interval_s=0)
        seen.add(check(case, *signing))

    fuzz()
    # 400: JSON Schema takes 1.0 for an integer, the agent does not.
    assert 200 in seen
    assert seen <= {200, 400}
