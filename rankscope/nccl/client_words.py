"""What `ncclras` and `nc` say when no report comes, and what a RAS server says besides one.

Source: src/ras/client.cc and client_support.cc of NVIDIA/nccl, v2.24.3-1 to v2.30.7-1.
"""

import re
from collections.abc import Iterable

from rankscope.model.capture import NcclOutcome
from rankscope.nccl.model import RasAnswer, Reason
from rankscope.text import say

RETRY = "Connection timed out; retrying..."
CLIENT_VERSION = re.compile(r"NCCL RAS client version (\d+\.\d+\.\d+)")

WORDS: tuple[tuple[re.Pattern[str], Reason], ...] = tuple(
    (re.compile(pattern, re.ASCII), reason)
    for pattern, reason in (
        (r"(?i).*\bConnection refused\b.*", Reason.REFUSED),
        (r"(?i).*\b(No route to host|(Network|Host) is unreachable)\b.*", Reason.UNREACHABLE),
        (r"Connecting to \S+: Connection timed out", Reason.UNREACHABLE),
        (r"Resolving \S+: .+", Reason.UNRESOLVED),
        (r"(?i).*\b(Name or service not known|Could not resolve hostname)\b.*", Reason.UNRESOLVED),
        (r"Failed to connect to the NCCL RAS service!", Reason.REFUSED),
        (
            r"Please make sure that the NCCL job has the RAS service enabled and that",
            Reason.REFUSED,
        ),
        (r"the RAS client was started on a node where the NCCL job is running\.", Reason.REFUSED),
        (r"the host/port arguments are correct and match NCCL_RAS_ADDR\.", Reason.REFUSED),
        (r"Unexpected response from NCCL: .*", Reason.NOT_RAS),
        (r"NCCL RAS protocol version mismatch \(.*\)!", Reason.NOT_RAS),
        (r"NCCL unexpectedly closed the connection", Reason.CUT),
        (r"(read|write) socket: .+", Reason.CUT),
        (r"Connection timed out(; retrying\.\.\.)?", Reason.FROZEN),
        (r"(\S+: )?(invalid|unrecognized) option .*", Reason.OLD_CLIENT),
        (r"NCCL RAS client version .*", Reason.NO_REPORT),
        (
            r"(Usage: .*ncclras .*|Query the state of a running NCCL job\.|Options:)",
            Reason.NO_REPORT,
        ),
        (r"(SERVER PROTOCOL \d+|OK|ERROR: .*|BUSY: .*)", Reason.NO_REPORT),
        (r"RAS Monitor Mode - .*|={20,}|Connection closed by the NCCL job\.", Reason.NO_REPORT),
        (r"exit code: .*", Reason.NO_REPORT),
    )
)
OPTION = re.compile(r"  +(-\w, +)?--\w.*|  {10,}\S.*", re.ASCII)
"""A line of the client's help; other texts have such lines too, so that it proves nothing."""
STRONGEST = (
    Reason.NOT_RAS,
    Reason.OLD_CLIENT,
    Reason.CUT,
    Reason.FROZEN,
    Reason.UNREACHABLE,
    Reason.REFUSED,
    Reason.UNRESOLVED,
    Reason.NO_REPORT,
)
"""Which reason counts when several are said; one address may refuse where another is frozen."""

OUTCOMES = {
    Reason.NONE: NcclOutcome.ANSWERED,
    Reason.NOT_LOADED: NcclOutcome.NOT_INITIALISED,
    Reason.NOT_INITIALISED: NcclOutcome.NOT_INITIALISED,
    Reason.DESTROYED: NcclOutcome.NOT_INITIALISED,
    Reason.TOO_OLD: NcclOutcome.UNSUPPORTED,
    Reason.OLD_CLIENT: NcclOutcome.UNSUPPORTED,
    Reason.NOT_RAS: NcclOutcome.UNSUPPORTED,
    Reason.DISABLED: NcclOutcome.DISABLED,
    Reason.JOB_OVER: NcclOutcome.REFUSED,
    Reason.UNREACHABLE: NcclOutcome.REFUSED,
    Reason.REFUSED: NcclOutcome.REFUSED,
    Reason.UNRESOLVED: NcclOutcome.REFUSED,
    Reason.FROZEN: NcclOutcome.FROZEN,
    Reason.SILENT: NcclOutcome.FROZEN,
    Reason.STARTING: NcclOutcome.UNSAFE,
    Reason.DANGEROUS: NcclOutcome.UNSAFE,
    Reason.VERSION_UNKNOWN: NcclOutcome.UNSAFE,
}
"""The outcome of each reason; those not listed mean that there is no whole answer."""


def outcome_of(reason: Reason) -> NcclOutcome:
    """Return the outcome that a capture file records for a reason."""
    return OUTCOMES.get(reason, NcclOutcome.CUT)


def reason_of(line: str) -> Reason | None:
    """Return what a line of the client or the protocol means; None for any other line."""
    return next((reason for pattern, reason in WORDS if pattern.fullmatch(line)), None)


def words_answer(lines: Iterable[str]) -> RasAnswer | None:
    """Read lines that hold no report; None when most of them are of something else, like a log."""
    shown = [line for line in lines if line.strip()]
    reasons = {line: reason_of(line) for line in shown}
    known = {reason for reason in reasons.values() if reason}
    strange = [line for line, meaning in reasons.items() if not meaning and not OPTION.match(line)]
    if shown and (not known or 2 * len(strange) > len(reasons)):
        return None
    reason = next((reason for reason in STRONGEST if reason in known), Reason.EMPTY)
    versions = [match[1] for line in shown if (match := CLIENT_VERSION.match(line))]
    return RasAnswer(
        outcome=outcome_of(reason),
        reason=reason,
        nccl_version=versions[0] if versions else None,
        problems=(say(f"nccl-problem-{reason.replace('_', '-')}"),),
        handshake_retries=shown.count(RETRY),
        unknown_lines=tuple(strange),
    )
