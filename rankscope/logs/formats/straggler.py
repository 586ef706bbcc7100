"""Megatron's straggler detector (`--log-straggler`): the quickest and the slowest rank, by name.

The line is `… | MnRtt/Rnk: 512.31ms/5 | MxRtt/Rnk: 871.12ms/17 | …` (megatron/core/utils.py): the
least and the greatest round-trip time of a step, and who had it.
"""

import re
from dataclasses import dataclass

NEEDLE = "MxRtt/Rnk"
FORMAT = "megatron-straggler-detector"
_LINE = re.compile(
    r"MnRtt/Rnk: (\d{1,15}(?:\.\d{1,15})?)ms/(\d{1,9})"
    r" \| MxRtt/Rnk: (\d{1,15}(?:\.\d{1,15})?)ms/(\d{1,9})"
)


@dataclass(frozen=True, slots=True)
class Straggler:
    """The slowest rank of one report beside the quickest; times in ms."""

    rank: int
    ms: float
    quickest_rank: int
    quickest_ms: float


def read_straggler(text: str) -> Straggler | None:
    """Return what the detector says in this line, or None when it is not its line."""
    found = _LINE.search(text) if NEEDLE in text else None
    if found is None:
        return None
    return Straggler(int(found[4]), float(found[3]), int(found[2]), float(found[1]))
