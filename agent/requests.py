"""What callers may ask; sizes are bounded, and no field can name a process."""

import time
from dataclasses import dataclass
from typing import Annotated, TypeVar

import msgspec

from rankscope.decoding import decode_json
from rankscope.errors import UnusableInput
from rankscope.model.event import JobId

BODY_LIMIT = 64 << 10
LEAD_LIMIT_S = 60.0
CLOCK_TOLERANCE_S = 1.0
T = TypeVar("T")

Rank = Annotated[int, msgspec.Meta(ge=0, lt=1 << 24)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureRequest:
    """POST /v1/captures. start_at is in seconds since the epoch; None: now.

    native names ranks whose native frames are wanted too, which stops them for up to seconds.
    interned: identical stacks are sent once; columns: threads and tasks are columns, too
    (docs/agent-api.md, "Interned answers").
    """

    job_id: JobId
    samples: Annotated[int, msgspec.Meta(ge=1, le=10)] = 2
    interval_s: Annotated[float, msgspec.Meta(ge=0, le=60)] = 5.0
    start_at: float | None = None
    native: Annotated[tuple[Rank, ...], msgspec.Meta(max_length=16)] = ()
    budget_s: Annotated[float, msgspec.Meta(gt=0, le=120)] = 10.0
    interned: bool = False
    columns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NcclRequest:
    """POST /v1/nccl. sample numbers the answers of one capture.

    progressed: the job's log shows steps of training, so that its communicators have been made.
    """

    job_id: JobId
    sample: Annotated[int, msgspec.Meta(ge=0, le=9)] = 0
    progressed: bool = False


def decode(body: bytes, kind: type[T]) -> T:
    """Return the request in a body; raises UnusableInput."""
    try:
        return decode_json(body, kind)
    except msgspec.DecodeError as error:
        raise UnusableInput(
            f"The request cannot be read: {error}.", "docs/agent-api.md describes its fields."
        ) from error


@dataclass(frozen=True, slots=True)
class Moment:
    """An agreed moment, in seconds since the epoch on the clock that counts here."""

    at: float | None

    def lead_s(self) -> float:
        """Return the seconds until then; 0 when it has passed or now was asked for."""
        return 0.0 if self.at is None else max(0.0, self.at - time.time())


def moment(start_at: float | None, sender_now: float) -> Moment:
    """Return the moment at which a capture begins; raises UnusableInput.

    When the sender's clock differs by more than a second, start_at is moved by the difference, so
    that a wrong clock shifts no sample.
    """
    if start_at is None:
        return Moment(None)
    skew = time.time() - sender_now
    at = start_at + (skew if abs(skew) > CLOCK_TOLERANCE_S else 0.0)
    lead = at - time.time()
    if not lead <= LEAD_LIMIT_S:
        raise UnusableInput(
            f"start_at is {lead:.0f} s ahead; at most {LEAD_LIMIT_S:.0f} s are possible.",
            "Send start_at in seconds since the epoch, or null for now.",
        )
    return Moment(at)
