"""Tell the bot who we are and what runs here, so that captures need no configured topology."""

import asyncio
import ssl

import httpx
import msgspec
import structlog

from agent.metrics import Metrics
from agent.node import Node, Survey
from agent.settings import AgentSettings
from rankscope import __version__
from rankscope.model.state import AgentBeat
from rankscope.signing import sign_request

PATH = "/agents/heartbeat"
TIMEOUT_S = 5.0
log = structlog.get_logger(__name__)


class Heartbeat:
    """Looks at /proc at every interval, which also keeps the roster, and reports to the bot."""

    def __init__(self, settings: AgentSettings, node: Node, metrics: Metrics) -> None:
        self._settings = settings
        self._node = node
        self._metrics = metrics
        self._state = ""

    async def run(self) -> None:
        """Look and report until cancelled; failures are logged once per change, never fatal."""
        verify = _trust(self._settings)
        # Proxies of the environment lead out of the cluster; the bot is inside.
        kept = httpx.Limits(keepalive_expiry=2 * self._settings.interval_s)
        async with httpx.AsyncClient(
            timeout=TIMEOUT_S, verify=verify, trust_env=False, limits=kept
        ) as client:
            while True:
                await self._once(client)
                await asyncio.sleep(self._settings.interval_s)

    async def _once(self, client: httpx.AsyncClient) -> None:
        try:
            survey = await self._node.look(fresh=False)
        except OSError as error:
            self._note(f"/proc cannot be read: {error}")
            return
        self._metrics.looked(survey)
        if self._settings.bot_url:
            problem = await self._send(client, survey)
            self._metrics.heartbeats.labels("failed" if problem else "ok").inc()
            self._note(problem)

    async def _send(self, client: httpx.AsyncClient, survey: Survey) -> str:
        body = msgspec.json.encode(self._beat(survey))
        url = httpx.URL(self._settings.bot_url.rstrip("/") + PATH)
        signed = sign_request(self._settings.require_secret(), "POST", url.path, body)
        headers = {**signed.headers, "Content-Type": "application/json"}
        try:
            answer = await client.post(url, content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return f"{type(error).__name__}: {error}".rstrip(": ")
        return "" if answer.is_success else f"the bot answered {answer.status_code}"

    def _beat(self, survey: Survey) -> AgentBeat:
        endpoint = self._settings.advertised_endpoint
        return AgentBeat(
            node=self._node.name, endpoint=endpoint, version=__version__, jobs=survey.jobs()
        )

    def _note(self, problem: str) -> None:
        if problem != self._state and problem:
            log.warning("heartbeat failed", bot=self._settings.bot_url, problem=problem)
        elif problem != self._state:
            log.info("heartbeat works again", bot=self._settings.bot_url)
        self._state = problem


def _trust(settings: AgentSettings) -> ssl.SSLContext | bool:
    if settings.tls_ca is None:
        return True
    return ssl.create_default_context(cafile=str(settings.tls_ca))
