"""One signed call to one agent: the answer is streamed raw to a file, then checked line by line.

Nothing is decoded while bytes arrive: decoding in the event loop makes healthy nodes time out.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from rankscope.errors import AgentError, NotAuthentic, RankscopeError
from rankscope.networks import check_endpoint
from rankscope.signing import sign_request, verify_line

MAX_ANSWER_BYTES = 256 << 20  # 8 trainers with all helpers and 20 threads each are about 7 MB.
CONNECT_TIMEOUT_S = 3.0
END_LINE = '{"end":true}'


@dataclass(frozen=True, slots=True)
class Answer:
    """The trustworthy lines of an answer; problem says why there are not more, or is empty."""

    lines: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class AgentClient:
    """Calls agents with one key; http belongs to the running event loop."""

    http: httpx.AsyncClient
    key: str
    networks: str

    async def ask(
        self, endpoint: str, path: str, request: object, spool: Path, deadline_s: float
    ) -> Answer:
        """POST a request and return the verified lines; never raises for what an agent does."""
        body = msgspec.json.encode(request)
        signed = sign_request(self.key, "POST", path, body)
        try:
            await asyncio.to_thread(check_endpoint, endpoint, self.networks)
            async with asyncio.timeout(deadline_s):
                await self._stream(f"{endpoint.rstrip('/')}{path}", signed.headers, body, spool)
        except (RankscopeError, httpx.HTTPError, TimeoutError, OSError) as error:
            problem = _problem(error, deadline_s)
        else:
            problem = ""
        return await asyncio.to_thread(self._verified, spool, signed.nonce, problem)

    async def _stream(self, url: str, headers: dict[str, str], body: bytes, spool: Path) -> None:
        size = 0
        with spool.open("wb") as file:
            async with self.http.stream("POST", url, headers=headers, content=body) as response:
                if response.status_code != httpx.codes.OK:
                    raise await _refusal(response)
                async for chunk in response.aiter_raw():
                    size += len(chunk)
                    if size > MAX_ANSWER_BYTES:
                        raise AgentError(f"The answer is larger than {MAX_ANSWER_BYTES >> 20} MB.")
                    file.write(chunk)

    def _verified(self, spool: Path, nonce: str, problem: str) -> Answer:
        lines: list[str] = []
        try:
            for number, signed in enumerate(_whole_lines(spool)):
                line = verify_line(self.key, nonce, number, signed)
                if _is_end(line):
                    return Answer(tuple(lines), problem)
                lines.append(line)
        except NotAuthentic as error:
            return Answer(tuple(lines), str(error))
        return Answer(tuple(lines), problem or "The answer was cut: the agent stopped answering.")


def agent_http() -> httpx.AsyncClient:
    """Return a client for all agents at once; make it inside the RQ job, never before the fork."""
    return httpx.AsyncClient(
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        timeout=httpx.Timeout(None, connect=CONNECT_TIMEOUT_S),
        trust_env=False,
        follow_redirects=False,
    )


def _whole_lines(spool: Path) -> Iterator[str]:
    """Yield the lines that end; the rest of a cut one is dropped."""
    if not spool.exists():
        return
    with spool.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield line[:-1].decode(errors="replace")


def _is_end(line: str) -> bool:
    return len(line) < 40 and "".join(line.split()) == END_LINE


async def _refusal(response: httpx.Response) -> AgentError:
    await response.aread()
    try:
        told = msgspec.json.decode(response.content, type=dict[str, object])
        what, next_step = str(told.get("error", "")), str(told.get("next_step", ""))
    except msgspec.DecodeError:
        what, next_step = response.text[:200], "Check that the endpoint is a rankscope agent's."
    return AgentError(f"The agent answered {response.status_code}: {what}", next_step)


def _problem(error: Exception, deadline_s: float) -> str:
    if isinstance(error, RankscopeError):
        return str(error)
    if isinstance(error, TimeoutError):
        return f"The agent did not finish within {deadline_s:.0f} s."
    if isinstance(error, httpx.ConnectTimeout | httpx.ConnectError):
        return f"The agent cannot be reached ({_short(error)}). Check that it runs on the node."
    return f"The connection to the agent broke ({_short(error)})."


def _short(error: Exception) -> str:
    return str(error) or type(error).__name__


def now_text() -> str:
    """Return the current time as the capture file writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
