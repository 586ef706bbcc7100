"""Who did what to which job, when, and what came of it: one Redis stream for each job, and the log.

A stream keeps about a thousand entries, and goes when nobody has acted on the job for the retention
time. An entry is written once per `once`, however often the work behind it is repeated.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import cast

import structlog

from rankscope.model.state import Deed
from rankscope.store.state import PREFIX, State

KEPT = 1000

_log = structlog.get_logger()


def note_deed(state: State, deed: Deed, once: str) -> None:
    """Write an action to the audit trail, unless that of this `once` is there."""
    fields = [part for name, value in asdict(deed).items() for part in (name, str(value))]
    keys = [_stream(deed.job_id), f"{PREFIX}:audited:{once}"]
    if state.redis.eval(_APPEND_ONCE, 2, *keys, str(state.ttl), str(KEPT), *fields):
        _log.info("audit", **asdict(deed))


def deeds_of(state: State, job_id: str, count: int = 10) -> list[Deed]:
    """Return the last actions on a job, the latest first."""
    found = cast(
        "list[tuple[bytes, Mapping[bytes, bytes]]]",
        state.redis.xrevrange(_stream(job_id), count=count),
    )
    return [_deed(fields) for _, fields in found]


def _stream(job_id: str) -> str:
    return f"{PREFIX}:audit:{job_id}"


def _deed(fields: Mapping[bytes, bytes]) -> Deed:
    told = {name.decode(): value.decode() for name, value in fields.items()}
    return Deed(
        at=float(told["at"]),
        who=told["who"],
        what=told["what"],
        job_id=told["job_id"],
        outcome=told["outcome"],
        chat_id=told["chat_id"],
    )


_APPEND_ONCE = """
if not redis.call('SET', KEYS[2], '1', 'NX', 'EX', ARGV[1]) then return 0 end
redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(ARGV, 3))
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""
