"""A slow-down as a card shows it: who says so, by how much, and the steps around it."""

from dataclasses import dataclass
from typing import Literal

Tier = Literal["platform", "seed", "robust"]


@dataclass(frozen=True, slots=True)
class StepTime:
    """One step, or the last of several that a line stands for; ms is the mean time of each."""

    step: int
    ms: float
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Slowness:
    """Steps first to last took mean_ms each, the job's baseline is baseline_ms.

    tier: a `platform` line passed on, the platform's rule applied to the log (`seed`), or the
    `robust` rule, whose findings are only suspected; detail names its kind. during is what the log
    says happened in those steps. line is the warning as the platform writes it. recovered_ms is the
    mean of the steps with which it was over, None while it lasts.
    """

    tier: Tier
    mean_ms: float
    baseline_ms: float
    first: int | None = None
    last: int | None = None
    detail: str = ""
    during: tuple[str, ...] = ()
    line: str = ""
    unit: str = "ms"
    series: tuple[StepTime, ...] = ()
    recovered_ms: float | None = None
    recovered_at: int | None = None

    @property
    def ratio(self) -> float:
        """By how much of the baseline the mean exceeds it; 2.05 is 205 % slower, 3.05 times."""
        return (self.mean_ms - self.baseline_ms) / self.baseline_ms
