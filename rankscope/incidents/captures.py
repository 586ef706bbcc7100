"""The captures of a job, over all its incidents."""

from typing import cast

from rankscope.model.state import CaptureRecord, CaptureState
from rankscope.store.state import PREFIX, State


def remember_capture(state: State, record: CaptureRecord) -> None:
    """Save a capture's record, and that it is one of its job's."""
    key = _key(record.job_id)
    with state.redis.pipeline() as pipe:
        pipe.zadd(key, {record.id: int(record.id) // 10**9})
        pipe.expire(key, state.ttl)
        pipe.execute()
    state.save(record)


def captures_of(state: State, job_id: str) -> list[CaptureRecord]:
    """Return the records of a job's captures, oldest first; expired ones are left out."""
    ids = cast("list[bytes]", state.redis.zrange(_key(job_id), 0, -1))
    records = (state.find(CaptureRecord, print_id.decode()) for print_id in ids)
    return [record for record in records if record is not None]


def latest_capture(state: State, job_id: str) -> CaptureRecord | None:
    """Return the record of the job's latest capture, or None."""
    ids = cast("list[bytes]", state.redis.zrange(_key(job_id), -1, -1))
    return state.find(CaptureRecord, ids[0].decode()) if ids else None


def reported_captures(state: State, job_id: str) -> list[CaptureRecord]:
    """Return the records of the job's captures that have a report, oldest first."""
    known = captures_of(state, job_id)
    return [record for record in known if record.state is CaptureState.REPORTED]


def _key(job_id: str) -> str:
    return f"{PREFIX}:captures:{job_id}"
