"""What to collect, and from whom."""

from dataclasses import dataclass

from rankscope.model.capture import CAPTURE_SCHEMA, Trigger
from rankscope.settings import Settings

GRACE_S = 5.0  # For connecting and for the last bytes.


@dataclass(frozen=True, slots=True)
class Target:
    """A node of the job and its agent's base URL, empty when none is known."""

    node: str
    endpoint: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """When to sample, in seconds; all nodes are asked to begin `lead_s` from now."""

    samples: int
    interval_s: float
    lead_s: float
    budget_s: float

    @classmethod
    def of(cls, settings: Settings) -> "Timing":
        """Take the timing from the settings."""
        return cls(
            samples=settings.capture_samples,
            interval_s=settings.capture_interval_s,
            lead_s=settings.capture_lead_s,
            budget_s=settings.capture_budget_s,
        )

    @property
    def deadline_s(self) -> float:
        """Seconds after which a node is given up: its budgets, the intervals and some grace."""
        intervals = (self.samples - 1) * self.interval_s
        return self.lead_s + intervals + self.samples * self.budget_s + GRACE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectRequest:
    """One capture of one job."""

    job_id: str
    print_id: str
    trigger: Trigger
    timing: Timing
    targets: tuple[Target, ...]
    world_size: int | None = None

    def header(self, started_at: str) -> dict[str, object]:
        """Return the first line of the capture file."""
        return {
            "schema": CAPTURE_SCHEMA,
            "job_id": self.job_id,
            "print_id": self.print_id,
            "started_at": started_at,
            "trigger": self.trigger.value,
            "world_size": self.world_size,
            "samples": self.timing.samples,
            "requested_nodes": [target.node for target in self.targets],
        }
