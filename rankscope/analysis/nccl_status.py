"""What the report says about NCCL."""

from collections.abc import Sequence

from rankscope.analysis.words import tell
from rankscope.model.capture import NcclAnswer, NcclOutcome
from rankscope.model.report import NcclStatus

RAS_SINCE = (2, 24)
"""The first NCCL with RAS, by its release notes."""

# The answer that says most comes first; nodes may differ while a job starts or ends.
_ORDER = (
    NcclOutcome.ANSWERED,
    NcclOutcome.FROZEN,
    NcclOutcome.CUT,
    NcclOutcome.UNSUPPORTED,
    NcclOutcome.DISABLED,
    NcclOutcome.UNSAFE,
    NcclOutcome.REFUSED,
    NcclOutcome.NOT_INITIALISED,
)


def nccl_status(answers: Sequence[NcclAnswer]) -> NcclStatus | None:
    """Return the status of the most telling node, or None when NCCL was not asked about."""
    if not answers:
        return None
    best = min(answers, key=lambda answer: _ORDER.index(answer.outcome))
    versions = (answer.nccl_version for answer in answers if answer.nccl_version)
    version = best.nccl_version or next(versions, None)
    answered = best.outcome is NcclOutcome.ANSWERED
    if version and not answered and _is_before_ras(version):
        return NcclStatus(best.outcome, version, tell("analysis-nccl-expected", version=version))
    return NcclStatus(best.outcome, version, tell(f"analysis-nccl-{best.outcome}"))


def _is_before_ras(version: str) -> bool:
    parts = version.split(".")[:2]
    return all(part.isdecimal() for part in parts) and tuple(map(int, parts)) < RAS_SINCE
