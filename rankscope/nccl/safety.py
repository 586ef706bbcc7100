"""Whether a process may be asked now: a question runs code inside the training process.

The table follows NVIDIA's issues and release notes: NVIDIA/nccl#1669 and #1718 (2.26.2 to 2.26.6
crash when asked while a communicator initialises), #1762 (2.26.2 to 2.28.9 read out of bounds when
ranks are missing), #2346 (2.27.3 and later: a text report may crash while a communicator
initialises; JSON does not pass through that code).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from rankscope.model.capture import NcclOutcome
from rankscope.model.text import Text
from rankscope.nccl.client_words import outcome_of
from rankscope.nccl.library import Features
from rankscope.nccl.model import Reason
from rankscope.nccl.versions import (
    FIRST_WITH_JSON,
    FIRST_WITH_RAS,
    INIT_CRASH,
    INIT_RACE,
    LAST_STUDIED,
    WALK_BUG,
    NcclVersion,
)
from rankscope.text import say


class Moment(StrEnum):
    """What the job is doing when it is to be asked.

    STEADY means that training has made progress and that no process is making a communicator, as
    logs and stacks tell.
    """

    STARTING = "starting"
    INITIALISING = "initialising"
    STEADY = "steady"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Permission:
    """Whether to ask, in which format, and why or why not; cautions are for the reader."""

    allowed: bool
    reason: Reason
    text: Text
    format: Literal["json", "text"] = "text"
    cautions: tuple[Text, ...] = ()

    @property
    def outcome(self) -> NcclOutcome:
        """Return the outcome to record when it is not allowed."""
        return outcome_of(self.reason)


def safe_to_ask(
    version: NcclVersion | None,
    features: Features | None = None,
    moment: Moment = Moment.UNKNOWN,
    *,
    enabled: bool = True,
) -> Permission:
    """Decide whether STATUS may be sent to a process with this NCCL; VERBOSE never may.

    version and features come from the library the process has really mapped; enabled follows its
    NCCL_RAS_ENABLE.
    """
    if version is None:
        return _refuse(Reason.VERSION_UNKNOWN, version)
    if version < FIRST_WITH_RAS or (features is not None and not features.ras):
        return _refuse(Reason.TOO_OLD, version)
    if not enabled:
        return _refuse(Reason.DISABLED, version)
    if moment is Moment.STARTING:
        return _refuse(Reason.STARTING, version)
    has_json = features.json if features is not None else version >= FIRST_WITH_JSON
    if moment is not Moment.STEADY and _may_crash(version, has_json=has_json):
        return _refuse(Reason.DANGEROUS, version)
    return Permission(
        allowed=True,
        reason=Reason.NONE,
        text=say("nccl-ask-allowed", version=version),
        format="json" if has_json else "text",
        cautions=_cautions(version, moment),
    )


def _may_crash(version: NcclVersion, *, has_json: bool) -> bool:
    if version.is_within(*INIT_CRASH):
        return True
    return not has_json and version >= NcclVersion(*INIT_RACE[0])


def _refuse(reason: Reason, version: NcclVersion | None) -> Permission:
    name = f"nccl-unavailable-{reason.replace('_', '-')}"
    return Permission(allowed=False, reason=reason, text=say(name, version=version or "?"))


def _cautions(version: NcclVersion, moment: Moment) -> tuple[Text, ...]:
    cautions = []
    if version.is_within(*WALK_BUG):
        cautions.append(say("nccl-ask-walk-bug", version=version))
    if moment is not Moment.STEADY and version.is_within(*INIT_RACE):
        cautions.append(say("nccl-ask-init-race", version=version))
    if version > LAST_STUDIED:
        cautions.append(say("nccl-ask-new-version", version=version, last=LAST_STUDIED))
    return tuple(cautions)
