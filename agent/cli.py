"""`rankscope agent`."""

import ssl
import sys
from typing import Any

import click
import uvicorn
from pydantic import ValidationError

from agent.app import create_app
from agent.host import Finding, examine
from agent.server import run
from agent.settings import AgentSettings
from rankscope.errors import ConfigurationError
from rankscope.json_logs import configure_logging
from rankscope.text import say

GRACE_S = 2
"""How long open connections may go on after SIGTERM before they are cut."""


@click.command()
@click.option("--node", help="Name of this node. Default: RANKSCOPE_AGENT_NODE, the host name.")
@click.option("--host", help="Address to listen on. Default: RANKSCOPE_AGENT_HOST, 127.0.0.1.")
@click.option("--port", type=int, help="Port to listen on. Default: RANKSCOPE_AGENT_PORT, 8710.")
@click.option("--bot-url", help="Base URL of the bot, for heartbeats. Default: none are sent.")
@click.option("--check", is_flag=True, help="Tell what this host permits, then exit with 0 or 1.")
def agent(
    *, node: str | None, host: str | None, port: int | None, bot_url: str | None, check: bool
) -> None:
    """Answer for one node: find its training processes and dump their stacks on request.

    Needs RANKSCOPE_AGENT_SECRET, the key shared with the bot. docs/agent.md lists all settings and
    the permissions it needs.
    """
    settings = _settings({"node": node, "host": host, "port": port, "bot_url": bot_url})
    if check:
        sys.exit(0 if _report(settings) else 1)
    serve(settings)


def _settings(options: dict[str, Any]) -> AgentSettings:
    try:
        return AgentSettings(**{name: o for name, o in options.items() if o is not None})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise ConfigurationError(
            f"The agent's setting {where} is not usable: {first['msg']}.",
            "`rankscope agent --help` and docs/agent.md describe the settings.",
        ) from None


def _report(settings: AgentSettings) -> bool:
    findings = list(examine(settings))
    for finding in findings:
        click.echo(_line(finding, settings))
    ready = all(finding.ok for finding in findings if finding.required)
    verdict = say("agent-check-ready" if ready else "agent-check-not-ready")
    click.echo(verdict.of(settings.language))
    return ready


def _line(finding: Finding, settings: AgentSettings) -> str:
    mark = "✓" if finding.ok else "✗" if finding.required else "!"
    advice = f"\n    {finding.advice.of(settings.language)}" if finding.advice else ""
    return f"{mark} {finding.text.of(settings.language)}{advice}"


def serve(settings: AgentSettings) -> None:
    """Serve until SIGTERM or SIGINT; raises ConfigurationError."""
    configure_logging()
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        **_tls(settings),
    )
    run(config)


def _tls(settings: AgentSettings) -> dict[str, Any]:
    """Return uvicorn's TLS options; raises ConfigurationError when they contradict each other."""
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise ConfigurationError(
            "A TLS certificate needs its key, and a key its certificate.",
            "Set both RANKSCOPE_AGENT_TLS_CERT and RANKSCOPE_AGENT_TLS_KEY.",
        )
    if settings.tls_client_ca and not settings.tls_cert:
        raise ConfigurationError(
            "Client certificates can only be asked for over TLS.",
            "Set RANKSCOPE_AGENT_TLS_CERT and RANKSCOPE_AGENT_TLS_KEY too.",
        )
    if not settings.tls_cert:
        return {}
    options: dict[str, Any] = {"ssl_certfile": settings.tls_cert, "ssl_keyfile": settings.tls_key}
    if settings.tls_client_ca:
        options["ssl_ca_certs"] = str(settings.tls_client_ca)
        options["ssl_cert_reqs"] = ssl.CERT_REQUIRED
    return options
