"""The agent's Prometheus metrics, in a registry of their own."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from agent.node import Survey
from agent.outcome import Dump
from rankscope.model.capture import Role

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15)


class Metrics:
    """Counts what the agent does; one object per application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        mine = self.registry
        self.dumps = Counter(
            "rankscope_agent_dumps",
            "Dumps by outcome and mode.",
            ["outcome", "mode"],
            registry=mine,
        )
        self.dump_seconds = Histogram(
            "rankscope_agent_dump_seconds", "Time of one dump.", buckets=_SECONDS, registry=mine
        )
        self.captures = Counter(
            "rankscope_agent_captures", "Captures by how they ended.", ["outcome"], registry=mine
        )
        self.running = Gauge(
            "rankscope_agent_captures_running", "Captures under way.", registry=mine
        )
        self.refused = Counter(
            "rankscope_agent_requests_refused",
            "Requests refused, by status.",
            ["status"],
            registry=mine,
        )
        self.heartbeats = Counter(
            "rankscope_agent_heartbeats", "Heartbeats by outcome.", ["outcome"], registry=mine
        )
        self.scan_seconds = Gauge(
            "rankscope_agent_scan_seconds", "Time of the last look at /proc.", registry=mine
        )
        self.processes = Gauge(
            "rankscope_agent_processes",
            "Processes of jobs at the last look.",
            ["role"],
            registry=mine,
        )

    def dumped(self, dump: Dump, seconds: float) -> None:
        """Count one dump."""
        self.dumps.labels(dump.reason or "ok", dump.mode).inc()
        self.dump_seconds.observe(seconds)

    def looked(self, survey: Survey) -> None:
        """Note what the last look at /proc found."""
        self.scan_seconds.set(survey.took_s)
        for role in Role:
            found = sum(member.role is role for member in survey.members)
            self.processes.labels(role.value).set(found)

    def text(self) -> bytes:
        """Return the metrics in Prometheus's text format."""
        return generate_latest(self.registry)
