"""Why RAS cannot be had, as a decision table, and that it is seldom a communication failure."""

from dataclasses import dataclass, replace

from rankscope.model.capture import NcclOutcome
from rankscope.model.text import Text
from rankscope.nccl.client_words import outcome_of
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.nccl.versions import FIRST_WITH_RAS, NcclVersion
from rankscope.text import say


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known about the job and its NCCL; None where it is not known.

    enabled follows NCCL_RAS_ENABLE; initialised is whether a log, a stack or a listening socket
    shows that NCCL has made a communicator; destroyed whether all of them are gone again.
    """

    version: NcclVersion | None = None
    built_with_ras: bool | None = None
    loaded: bool | None = None
    enabled: bool | None = None
    running: bool | None = None
    initialised: bool | None = None
    destroyed: bool | None = None

    @property
    def supports_ras(self) -> bool | None:
        """Whether this NCCL has RAS; what the library holds counts more than its version."""
        if self.built_with_ras is not None:
            return self.built_with_ras
        return None if self.version is None else self.version >= FIRST_WITH_RAS


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why there is no answer; expected when nothing is wrong, investigate when something may be."""

    reason: Reason
    line: Text
    expected: bool
    investigate: bool
    preconditions: tuple[Text, ...]
    not_meant: tuple[Text, ...]
    next_steps: tuple[Text, ...]


EXPECTED = frozenset(
    {
        Reason.TOO_OLD,
        Reason.NOT_LOADED,
        Reason.DISABLED,
        Reason.JOB_OVER,
        Reason.NOT_INITIALISED,
        Reason.DESTROYED,
        Reason.STARTING,
    }
)
LEFT_ALONE = frozenset({Reason.STARTING, Reason.DANGEROUS, Reason.VERSION_UNKNOWN})
"""Reasons why RAS was not even asked."""
OPEN = frozenset({Reason.NONE, Reason.REFUSED, Reason.UNREACHABLE})
"""Reasons that the circumstances may make more precise; being refused alone explains nothing."""


def explain(reason: Reason, known: Circumstances) -> Unavailable:
    """Decide why there is no answer: what stands against it first, then how the attempt ended."""
    decided = _decide(reason, known)
    investigate = decided is Reason.UNREACHABLE and all(
        (known.supports_ras, known.running, known.initialised)
    )
    version = str(known.version) if known.version else "?"
    return Unavailable(
        reason=decided,
        line=say(f"nccl-unavailable-{decided.replace('_', '-')}", version=version),
        expected=decided in EXPECTED,
        investigate=investigate,
        preconditions=_preconditions(known),
        not_meant=(
            *((say("nccl-unavailable-no-failure"),) if decided not in LEFT_ALONE else ()),
            say("nccl-unavailable-what-is-lost"),
        ),
        next_steps=(*_checks(decided, version), *_elsewhere()),
    )


def settle(answer: RasAnswer, known: Circumstances) -> RasAnswer:
    """Give an attempt without an answer the outcome that the circumstances explain."""
    if answer.outcome in {NcclOutcome.ANSWERED, NcclOutcome.CUT}:
        return answer
    reason = _decide(answer.reason, known)
    version = answer.nccl_version or (str(known.version) if known.version else None)
    return replace(answer, outcome=outcome_of(reason), reason=reason, nccl_version=version)


def _decide(reason: Reason, known: Circumstances) -> Reason:
    against = (
        (known.loaded is False, Reason.NOT_LOADED),
        (known.supports_ras is False, Reason.TOO_OLD),
        (known.enabled is False, Reason.DISABLED),
        (known.running is False, Reason.JOB_OVER),
        (known.initialised is False, Reason.NOT_INITIALISED),
        (known.destroyed is True, Reason.DESTROYED),
    )
    for stands, why in against:
        if stands:
            return why
    if reason not in OPEN:
        return reason
    asked_in_vain = known.supports_ras and known.running and known.initialised
    return Reason.UNREACHABLE if asked_in_vain else Reason.REFUSED


def _preconditions(known: Circumstances) -> tuple[Text, ...]:
    """Say for each of the four conditions of an answer whether it holds."""
    conditions = (
        ("version", known.supports_ras),
        ("enabled", known.enabled),
        ("running", known.running),
        ("initialised", known.initialised),
    )
    words = {True: "yes", False: "no", None: "unknown"}
    return tuple(say(f"nccl-condition-{name}-{words[holds]}") for name, holds in conditions)


def _checks(reason: Reason, version: str) -> tuple[Text, ...]:
    if reason is Reason.REFUSED and version == "?":
        return (say("nccl-check-version"), *_four_checks())
    if reason in {Reason.REFUSED, Reason.UNREACHABLE}:
        return _four_checks()
    own = {
        Reason.TOO_OLD: "nccl-check-image",
        Reason.OLD_CLIENT: "nccl-check-client",
        Reason.FROZEN: "nccl-check-frozen",
        Reason.SILENT: "nccl-check-frozen",
        Reason.NOT_INITIALISED: "nccl-check-later",
        Reason.NOT_LOADED: "nccl-check-later",
        Reason.STARTING: "nccl-check-later",
        Reason.DANGEROUS: "nccl-check-upgrade",
    }.get(reason)
    return (say(own),) if own else ()


def _four_checks() -> tuple[Text, ...]:
    names = ("disabled", "not-initialised", "destroyed", "address")
    return tuple(say(f"nccl-check-{name}") for name in names)


def _elsewhere() -> tuple[Text, ...]:
    """Say where to look instead, in the order that helps."""
    return tuple(say(f"nccl-elsewhere-{name}") for name in ("logs", "launch", "metrics", "stacks"))
