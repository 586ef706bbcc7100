"""One signed request to one agent, its answer streamed to a file as raw bytes.

Nothing is decoded here: decoding in the event loop made healthy nodes time out.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from rankscope.capture.answer import Answer
from rankscope.capture.request import CONNECT_S, CaptureRequest, Target
from rankscope.capture.trust import Trust
from rankscope.decoding import decode_json
from rankscope.errors import AgentError, NotAllowed, RankscopeError
from rankscope.networks import Address, check_endpoint
from rankscope.signing import SignedRequest, sign_request

REFUSAL_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Question:
    """What is posted to an agent, where, and how long its answer may take."""

    path: str
    body: bytes
    deadline_s: float
    file: Path


@dataclass(frozen=True, slots=True)
class _Refusal:
    error: str = ""
    next_step: str = ""


def new_client(trust: Trust) -> httpx.AsyncClient:
    """Return a client for all agents: no proxies, no redirects, no waiting for a free connection.

    Make it inside the job that uses it: a connection shared over a fork is corrupted. Raises
    ConfigurationError when the TLS files cannot be used.
    """
    return httpx.AsyncClient(
        verify=trust.context(),
        timeout=httpx.Timeout(None, connect=CONNECT_S, write=CONNECT_S, pool=None),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
        follow_redirects=False,
        trust_env=False,
    )


async def ask(
    client: httpx.AsyncClient, request: CaptureRequest, target: Target, question: Question
) -> Answer:
    """Ask one agent and return what came; every failure is told in the answer, none is raised."""
    signed = SignedRequest({}, "")
    try:
        async with asyncio.timeout(question.deadline_s):
            address = await _address_of(target, request.networks)
            signed = sign_request(request.secret, "POST", question.path, question.body)
            call = _call(client, target, address, question, signed)
            await _stream(client, call, question, request.largest_answer)
    except TimeoutError:
        error = _TOO_LATE.format(seconds=round(question.deadline_s))
    except httpx.HTTPError as failure:
        error = _explain(failure, target)
    except (RankscopeError, OSError, ValueError, httpx.InvalidURL) as failure:
        error = str(failure)
    else:
        error = ""
    return Answer(target.node, question.file, signed.nonce, error)


async def _address_of(target: Target, networks: str) -> Address:
    if not target.endpoint:
        raise NotAllowed(
            "No agent of this node has reported.",
            "Start `rankscope agent` there, and check that it reaches the bot.",
        )
    return await asyncio.to_thread(check_endpoint, target.endpoint, networks)


def _call(
    client: httpx.AsyncClient,
    target: Target,
    address: Address,
    question: Question,
    signed: SignedRequest,
) -> httpx.Request:
    """Return the request to the very address that was checked, under the name of the endpoint."""
    url = httpx.URL(target.endpoint).copy_with(path=question.path)
    return client.build_request(
        "POST",
        url.copy_with(host=str(address)),
        content=question.body,
        headers={**signed.headers, "Host": url.netloc.decode("ascii")},
        extensions={"sni_hostname": url.host},
    )


async def _stream(
    client: httpx.AsyncClient, call: httpx.Request, question: Question, limit: int
) -> None:
    response = await client.send(call, stream=True)
    try:
        if response.status_code != 200:
            raise _refused(response.status_code, await _beginning(response))
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise AgentError("The agent compressed its answer unasked.", "Update the agent.")
        await _spool(response, question.file, limit)
    finally:
        await response.aclose()


async def _spool(response: httpx.Response, path: Path, limit: int) -> None:
    received = 0
    with path.open("wb") as file:
        async for chunk in response.aiter_raw():
            received += len(chunk)
            if received > limit:
                raise AgentError(
                    f"The answer is larger than {limit >> 20} MiB.",
                    "Only its beginning is kept; ask for fewer samples.",
                )
            file.write(chunk)


async def _beginning(response: httpx.Response) -> bytes:
    content = b""
    async for chunk in response.aiter_raw():
        content += chunk
        if len(content) > REFUSAL_BYTES:
            break
    return content[:REFUSAL_BYTES]


_WHY = {
    401: "The agent does not accept our signature.",
    404: "The agent sees no process of this job.",
    429: "The agent is busy with other captures.",
}
_NEXT = {
    401: "Check that RANKSCOPE_AGENT_SECRET is the same on both sides.",
    404: "The job may have ended or moved away from this node.",
    429: "Capture again in a moment.",
}


def _refused(status: int, body: bytes) -> AgentError:
    """Return the agent's own words for a refusal, else ours; a foreign server gets neither."""
    try:
        said = decode_json(body, _Refusal)
    except msgspec.DecodeError:
        said = _Refusal()
    what = said.error or _WHY.get(status, "Something else than an agent seems to listen there.")
    next_step = said.next_step or _NEXT.get(status, "Check the agent's endpoint and its log.")
    return AgentError(f"{what} (HTTP {status})", next_step)


_TOO_LATE = (
    "The agent did not finish within {seconds} s. "
    "The node may be overloaded or frozen: check it, and the agent's log."
)


def _explain(error: httpx.HTTPError, target: Target) -> str:
    if isinstance(error, httpx.ConnectTimeout):
        what = f"{target.endpoint} did not answer within {CONNECT_S:.0f} s."
        return f"{what} The node may be down, or a firewall is in between."
    if isinstance(error, httpx.ConnectError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        what = f"The certificate of {target.endpoint} is not one that is trusted here."
        return f"{what} Set RANKSCOPE_WORKER_TLS_CA to the authority of the agents' certificates."
    if isinstance(error, httpx.ConnectError):
        return f"Nobody answers at {target.endpoint}. Check that `rankscope agent` runs there."
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return "The connection broke while the agent answered. Check the node and the agent's log."
    return f"The agent could not be asked ({type(error).__name__}). Check the network to the node."
