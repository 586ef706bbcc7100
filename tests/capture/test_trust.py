"""A real agent that serves TLS and asks for certificates, and the fan-out that calls it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trustme

from rankscope.capture import Target, Trust, collect
from rankscope.errors import ConfigurationError
from tests.agent.conftest import free_port
from tests.agent.targets import wait_until
from tests.capture.conftest import MakeRequest
from tests.capture.fake_agent import SECRET

MAIN = "from rankscope.cli import main; main()"


@pytest.fixture(scope="module")
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(ca: trustme.CA, tmp_path: Path) -> Path:
    """Return a folder with ca.pem and, of agent and worker, a .pem and a .key each."""
    ca.cert_pem.write_to_path(tmp_path / "ca.pem")
    for name, host in (("agent", "localhost"), ("worker", "worker.internal")):
        issued = ca.issue_cert(host)
        issued.private_key_pem.write_to_path(tmp_path / f"{name}.key")
        for part in issued.cert_chain_pems:
            part.write_to_path(tmp_path / f"{name}.pem", append=True)
    return tmp_path


@contextmanager
def tls_agent(files: Path) -> Iterator[Target]:
    port = free_port()
    env = {
        **os.environ,
        "RANKSCOPE_AGENT_SECRET": SECRET,
        "RANKSCOPE_AGENT_TLS_CERT": str(files / "agent.pem"),
        "RANKSCOPE_AGENT_TLS_KEY": str(files / "agent.key"),
        "RANKSCOPE_AGENT_TLS_CLIENT_CA": str(files / "ca.pem"),
    }
    command = [sys.executable, "-c", MAIN, "agent", "--port", str(port)]
    with subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _listens(f"https://localhost:{port}/healthz", files))
            yield Target("gpu07", f"https://localhost:{port}")
        finally:
            process.terminate()


def _listens(url: str, files: Path) -> bool:
    trust = Trust(files / "ca.pem", files / "worker.pem", files / "worker.key")
    try:
        return httpx.get(url, verify=trust.context(), trust_env=False).is_success
    except httpx.TransportError:
        return False


async def test_an_agent_with_mtls_is_called_by_its_name(
    make_request: MakeRequest, files: Path
) -> None:
    ours = Trust(files / "ca.pem", files / "worker.pem", files / "worker.key")
    with tls_agent(files) as target:
        trusted = await collect(make_request(target, trust=ours), lambda _: None)
        unknown = await collect(make_request(target), lambda _: None)
        no_cert = await collect(make_request(target, trust=Trust(files / "ca.pem")), lambda _: None)

    # The agent has answered: it knows no process of the job.
    assert "404" in trusted.answers[0].error
    assert "RANKSCOPE_WORKER_TLS_CA" in unknown.answers[0].error
    assert no_cert.answers[0].error
    assert "404" not in no_cert.answers[0].error


@pytest.mark.parametrize(
    ("trust", "why"),
    [
        (Trust(cert=Path("x.pem")), "needs its key"),
        (Trust(ca=Path("nowhere.pem")), "cannot be used"),
        (Trust(cert=Path("no.pem"), key=Path("no.key")), r"no\.pem"),
    ],
)
def test_files_that_do_not_work_are_told(trust: Trust, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        trust.context()


def test_a_file_that_is_no_certificate_is_told(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(ConfigurationError, match="RANKSCOPE_WORKER_TLS_CA"):
        Trust(tmp_path / "ca.pem").context()
