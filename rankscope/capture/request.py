"""What one capture asks, of whom, and how long it may take."""

from dataclasses import dataclass, replace
from pathlib import Path

from rankscope.capture.trust import SYSTEM_TRUST, Trust
from rankscope.model.capture import Trigger

CONNECT_S = 5.0
GRACE_S = 5.0
"""What an agent may need beyond its budget: connecting, looking around, sending."""
LONGEST_S = 240.0
"""Less than the 300 s after which the RQ job that captures is broken off."""
LARGEST_ANSWER = 256 << 20
"""Bytes of one node's answer; 8 GPUs with 10 helpers each and two samples make about 15 MB."""


@dataclass(frozen=True, slots=True)
class Target:
    """A node and the base URL of its agent; without one, the node is listed as not reachable."""

    node: str
    endpoint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRequest:
    """One capture of a job on all its nodes; times are in seconds.

    networks are the CIDRs where agents may be; spool is a folder of this capture's own, which
    receives the raw answers. NCCL is asked on the first target that answers, in their order, and
    once more nccl_interval_s later where a hang is suspected. progressed: the job's log has shown
    steps of training, so that some NCCL versions may be asked at all (docs/nccl.md).
    """

    job_id: str
    print_id: str
    trigger: Trigger
    targets: tuple[Target, ...]
    secret: str
    networks: str
    spool: Path
    world_size: int | None = None
    samples: int = 2
    interval_s: float = 5.0
    lead_s: float = 0.5
    budget_s: float = 10.0
    native: tuple[int, ...] = ()
    nccl_interval_s: float = 10.0
    progressed: bool = False
    largest_answer: int = LARGEST_ANSWER
    trust: Trust = SYSTEM_TRUST

    def in_spool(self, spool: Path) -> "CaptureRequest":
        """Return the same request with another spool folder."""
        return replace(self, spool=spool)

    @property
    def node_deadline_s(self) -> float:
        """How long one node may take, from the first byte sent to the last one received."""
        sampling = self.samples * max(self.interval_s, self.budget_s)
        return min(LONGEST_S, self.lead_s + sampling + GRACE_S)
