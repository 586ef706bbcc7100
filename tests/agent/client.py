"""A caller of the agent, as an RQ worker would call it."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from rankscope.signing import SignedRequest, sign_request, verify_line
from tests.agent.targets import JOB


class Client:
    """Signs requests and checks every line of the answer."""

    def __init__(self, url: str, secret: str, stop_server: Callable[[], None]) -> None:
        self.http = httpx.Client(base_url=url, timeout=120, trust_env=False)
        self.secret = secret
        self.stop_server = stop_server

    def send(
        self, method: str, path: str, body: object = None, signed: SignedRequest | None = None
    ) -> httpx.Response:
        """Send one request, signed with our key unless a signature is given."""
        content = b"" if body is None else json.dumps(body).encode()
        signed = signed or sign_request(self.secret, method, path, content)
        return self.http.request(method, path, content=content, headers=signed.headers)

    def capture(self, job_id: str = JOB, **fields: object) -> list[dict[str, Any]]:
        """Capture a job and return all lines, the end line included."""
        with self.streamed(job_id, **fields) as lines:
            return list(lines)

    @contextmanager
    def streamed(self, job_id: str, **fields: object) -> Iterator[Iterator[dict[str, Any]]]:
        """Capture a job and give its lines as they come."""
        path = "/v1/captures"
        body = json.dumps({"job_id": job_id, "samples": 1, "interval_s": 0, **fields}).encode()
        signed = sign_request(self.secret, "POST", path, body)
        with self.http.stream("POST", path, content=body, headers=signed.headers) as response:
            assert response.status_code == 200, response.read()
            yield self.verified(signed.nonce, response.iter_lines())

    def verified(self, nonce: str, lines: Iterator[str]) -> Iterator[dict[str, Any]]:
        """Yield what the lines say; raises NotAuthentic for one that is not ours."""
        for number, line in enumerate(lines):
            yield json.loads(verify_line(self.secret, nonce, number, line))

    def answer(self, method: str, path: str, body: object = None) -> list[dict[str, Any]]:
        """Return the verified lines of a short answer."""
        content = b"" if body is None else json.dumps(body).encode()
        signed = sign_request(self.secret, method, path, content)
        response = self.send(method, path, body, signed)
        assert response.status_code == 200, response.text
        return list(self.verified(signed.nonce, iter(response.text.splitlines())))


def by_rank(sample: dict[str, Any], role: str = "trainer") -> dict[int, dict[str, Any]]:
    """Return a sample's processes of one role by rank."""
    return {p["rank"]: p for p in sample["processes"] if p["role"] == role}


def functions(process: dict[str, Any]) -> list[str]:
    """Return all function names in a process's stacks."""
    return [frame["name"] for thread in process["threads"] for frame in thread["frames"]]
