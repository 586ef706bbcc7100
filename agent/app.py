"""The agent's HTTP surface (docs/agent-api.md)."""

import asyncio
import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
import structlog
from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from agent.access import Authentic, Replayed, TooLarge, TooMany, Unsigned, authenticator
from agent.captures import Captures
from agent.dump import Dumper
from agent.heartbeat import Heartbeat
from agent.metrics import Metrics
from agent.nccl import Asker
from agent.node import Node
from agent.pyspy import find_py_spy
from agent.requests import CaptureRequest, NcclRequest, decode, moment
from agent.sampling import Sampler, UnknownJob
from agent.settings import AgentSettings
from rankscope import __version__
from rankscope.errors import (
    NotAuthentic,
    NotFound,
    RankscopeError,
    StaleRequest,
    UnusableInput,
)
from rankscope.signing import sign_line

LINES = "application/x-ndjson; charset=utf-8"
END: dict[str, Any] = {"end": True}
# The most particular first.
REFUSALS: dict[type[RankscopeError], tuple[int, str]] = {
    UnusableInput: (400, "unusable"),
    Unsigned: (401, "unsigned"),
    Replayed: (401, "replayed"),
    StaleRequest: (401, "stale"),
    NotAuthentic: (401, "wrong_key"),
    NotFound: (404, "unknown_job"),
    TooLarge: (413, "too_large"),
    TooMany: (429, "busy"),
}
UNEXPECTED = 500, "failed"
log = structlog.get_logger(__name__)
Items = AsyncIterator[object]


@dataclass(frozen=True, slots=True)
class Agent:
    """The parts of one agent."""

    secret: str
    node: Node
    metrics: Metrics
    sampler: Sampler
    captures: Captures
    asker: Asker
    heartbeat: Heartbeat

    @classmethod
    def build(cls, settings: AgentSettings) -> "Agent":
        """Put the parts together; raises ConfigurationError."""
        metrics, node = Metrics(), Node(settings)
        dumper = Dumper(find_py_spy(settings.py_spy), settings)
        sampler = Sampler(node, dumper, settings, metrics)
        captures = Captures(sampler, metrics, settings.max_captures)
        heartbeat = Heartbeat(settings, node, metrics)
        asker = Asker(node.name, dumper, settings)
        secret = settings.require_secret()
        return cls(secret, node, metrics, sampler, captures, asker, heartbeat)


def create_app(settings: AgentSettings) -> FastAPI:
    """Return the agent's application; raises ConfigurationError without a key or py-spy."""
    agent = Agent.build(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        beating = asyncio.create_task(agent.heartbeat.run())
        try:
            yield
        finally:
            beating.cancel()
            await agent.captures.stop()
            await asyncio.gather(beating, return_exceptions=True)

    app = FastAPI(
        title="rankscope agent",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        exception_handlers={RankscopeError: functools.partial(_refuse, agent)},
    )
    _add_open_routes(app, agent)
    _add_signed_routes(app, agent)
    return app


def _add_open_routes(app: FastAPI, agent: Agent) -> None:
    @app.get("/healthz")
    async def healthz() -> dict[str, str]:
        return {"status": "ok", "node": agent.node.name, "version": __version__}

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(agent.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


def _add_signed_routes(app: FastAPI, agent: Agent) -> None:
    signed = Annotated[Authentic, Depends(authenticator(agent.secret))]

    @app.post("/v1/captures")
    async def captures(request: signed) -> Response:
        return _answer(agent, request, await _capture(agent, request))

    @app.post("/v1/nccl")
    async def nccl_status(request: signed) -> Response:
        return _answer(agent, request, await _nccl(agent, request))

    @app.get("/v1/jobs")
    async def jobs(request: signed) -> Response:
        survey = await agent.node.look()
        return _answer(agent, request, _one({"node": agent.node.name, "jobs": survey.jobs()}))


async def _capture(agent: Agent, request: Authentic) -> Items:
    wanted = decode(request.body, CaptureRequest)
    begin = moment(wanted.start_at, request.sender_now)
    await agent.sampler.require(wanted.job_id)
    running = agent.captures.start(wanted, begin.lead_s())
    log.info("capture", job=wanted.job_id, samples=wanted.samples, native=list(wanted.native))

    async def items() -> Items:
        async for sample in running.samples():
            yield sample
        if running.complete:
            yield END

    return items()


async def _nccl(agent: Agent, request: Authentic) -> Items:
    wanted = decode(request.body, NcclRequest)
    await agent.sampler.require(wanted.job_id)
    survey = await agent.node.look()
    return _one({"nccl": await agent.asker.ask(survey, wanted)})


async def _one(item: object) -> Items:
    yield item
    yield END


def _answer(agent: Agent, request: Authentic, items: Items) -> Response:
    return StreamingResponse(_signed(agent.secret, request.nonce, items), media_type=LINES)


async def _signed(secret: str, nonce: str, items: Items) -> AsyncIterator[str]:
    """Sign each line over the request's nonce and its own number, which the end line closes."""
    number = 0
    async for item in items:
        text = msgspec.json.encode(item).decode()
        yield sign_line(secret, nonce, number, text) + "\n"
        number += 1


async def _refuse(agent: Agent, request: Request, error: Exception) -> Response:
    assert isinstance(error, RankscopeError)  # noqa: S101 (registered for these only)
    found = (pair for kind, pair in REFUSALS.items() if isinstance(error, kind))
    status, code = next(found, UNEXPECTED)
    agent.metrics.refused.labels(str(status)).inc()
    log.warning("request refused", path=request.url.path, code=code, why=error.what)
    body: dict[str, Any] = {"code": code, "error": error.what, "next_step": error.next_step}
    if isinstance(error, UnknownJob):
        body["jobs"] = error.jobs
    headers = {"Retry-After": "5"} if isinstance(error, TooMany) else {}
    content = msgspec.json.encode(body)
    return Response(content, status, headers, media_type="application/json")
