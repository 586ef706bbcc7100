"""Small state in Redis: one JSON value per record, gone after the retention time.

A record is a frozen dataclass of rankscope.model.state with an `id`. Changes go through
`change`, which is optimistic (WATCH) and repeats, so that RQ workers never overwrite each other.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar, cast

import msgspec
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import LockNotOwnedError
from redis.lock import Lock

from rankscope.errors import NotFound, StoreError
from rankscope.model.state import AgentBeat, Job

PREFIX = "rankscope"
AGENT_TTL_S = 45  # three heartbeats of 15 s


class Record(Protocol):
    """Anything with an id; its class name is part of its key."""

    @property
    def id(self) -> str:
        """The id, unique among records of its kind."""


R = TypeVar("R", bound=Record)


class Locked(StoreError):
    """Somebody else holds the lock."""


def record_key(kind: type, record_id: str) -> str:
    """Return the Redis key of a record."""
    return f"{PREFIX}:{kind.__name__.lower()}:{record_id}"


@dataclass(frozen=True, slots=True)
class SeenNode:
    """A node on which an agent has seen a job, and when (seconds since the epoch)."""

    node: str
    endpoint: str
    seen_at: float


class State:
    """Typed access to everything rankscope keeps in Redis."""

    def __init__(self, redis: Redis, retention: timedelta = timedelta(days=30)) -> None:
        self.redis = redis
        self.ttl = int(retention.total_seconds())

    def find(self, kind: type[R], record_id: str) -> R | None:
        """Return a record, or None when it is unknown or expired."""
        raw = cast("bytes | None", self.redis.get(record_key(kind, record_id)))
        return None if raw is None else msgspec.json.decode(raw, type=kind)

    def load(self, kind: type[R], record_id: str) -> R:
        """Return a record; raises NotFound."""
        found = self.find(kind, record_id)
        if found is None:
            raise NotFound(f"{kind.__name__} {record_id} is unknown or has expired.")
        return found

    def save(self, record: Record) -> None:
        """Write a record as it is."""
        key = record_key(type(record), record.id)
        self.redis.set(key, msgspec.json.encode(record), ex=self.ttl)

    def create(self, record: Record) -> bool:
        """Write a record unless its id exists; False when it does."""
        key = record_key(type(record), record.id)
        return bool(self.redis.set(key, msgspec.json.encode(record), ex=self.ttl, nx=True))

    def change(self, kind: type[R], record_id: str, edit: Callable[[R], R]) -> R:
        """Apply a pure edit to a record atomically and return the result; raises NotFound."""
        key = record_key(kind, record_id)

        edited: list[R] = []

        def apply(pipe: Pipeline) -> None:
            raw = cast("bytes | None", pipe.get(key))
            if raw is None:
                raise NotFound(f"{kind.__name__} {record_id} is unknown or has expired.")
            edited.append(edit(msgspec.json.decode(raw, type=kind)))
            pipe.multi()
            pipe.set(key, msgspec.json.encode(edited[-1]), ex=self.ttl)

        self.redis.transaction(apply, key)
        return edited[-1]

    def all(self, kind: type[R]) -> Iterable[R]:
        """Yield all records of a kind, in no order; for listings and the reconciler."""
        for key in self.redis.scan_iter(match=record_key(kind, "*"), count=500):
            raw = cast("bytes | None", self.redis.get(key))
            if raw is not None:
                yield msgspec.json.decode(raw, type=kind)

    def claim(self, name: str, owner: str, ttl_s: float) -> str:
        """Take a named claim if it is free; return who holds it (owner when it is ours)."""
        key = f"{PREFIX}:claim:{name}"
        if self.redis.set(key, owner, px=max(1, int(ttl_s * 1000)), nx=True):
            return owner
        holder = cast("bytes | None", self.redis.get(key))
        return holder.decode() if holder else self.claim(name, owner, ttl_s)

    def renew(self, name: str, owner: str, ttl_s: float) -> bool:
        """Hold a claim for longer; False when it is not ours any more."""
        key = f"{PREFIX}:claim:{name}"
        return bool(self.redis.eval(_IF_OURS_EXPIRE, 1, key, owner, str(int(ttl_s * 1000))))

    def holder(self, name: str) -> str:
        """Return who holds a claim, or an empty string."""
        held = cast("bytes | None", self.redis.get(f"{PREFIX}:claim:{name}"))
        return held.decode() if held else ""

    def release(self, name: str, owner: str) -> None:
        """Give a claim back if it is ours."""
        self.redis.eval(_IF_OURS_DELETE, 1, f"{PREFIX}:claim:{name}", owner)

    @contextmanager
    def lock(self, name: str, ttl_s: float = 15.0, patience_s: float = 20.0) -> Iterator[Lock]:
        """Hold a named lock, which lapses after ttl_s unless it is extended, in any thread.

        Raises Locked when somebody else holds it for longer than patience_s.
        """
        lock = self.redis.lock(f"{PREFIX}:lock:{name}", ttl_s, thread_local=False)
        if not lock.acquire(blocking=patience_s > 0, blocking_timeout=patience_s or None):
            raise Locked(f"{name} is locked by other work.", "It is tried again by itself.")
        try:
            yield lock
        finally:
            with suppress(LockNotOwnedError):  # It lapsed; whoever holds it now may keep it.
                lock.release()

    def is_locked(self, name: str) -> bool:
        """Whether somebody holds a named lock."""
        return bool(self.redis.exists(f"{PREFIX}:lock:{name}"))

    def new_print_id(self, request_id: str) -> str:
        """Return the print_id of a capture request: nanoseconds, increasing, stable per request."""
        key = f"{PREFIX}:print:{request_id}"
        known = cast("bytes | None", self.redis.get(key))
        if known:
            return known.decode()
        last = f"{PREFIX}:print-last"
        fresh = cast("bytes", self.redis.eval(_NEXT_PRINT_ID, 1, last, str(time.time_ns())))
        self.redis.set(key, fresh, ex=self.ttl, nx=True)
        return cast("bytes", self.redis.get(key)).decode()

    # Agents and the nodes of a job.

    def beat(self, beat: AgentBeat) -> None:
        """Record a heartbeat, and on which node each of its jobs was seen."""
        now = time.time()
        with self.redis.pipeline() as pipe:
            key = f"{PREFIX}:agent:{beat.node}"
            pipe.set(key, msgspec.json.encode(beat), ex=AGENT_TTL_S)
            for job in beat.jobs:
                nodes = f"{PREFIX}:nodes:{job.job_id}"
                seen = SeenNode(beat.node, beat.endpoint, now)
                pipe.hset(nodes, beat.node, msgspec.json.encode(seen).decode())
                pipe.expire(nodes, self.ttl)
            pipe.execute()

    def agents(self) -> list[AgentBeat]:
        """Return the agents that sent a heartbeat lately, by node."""
        raws = [self.redis.get(key) for key in self.redis.scan_iter(f"{PREFIX}:agent:*")]
        beats = [msgspec.json.decode(cast("bytes", r), type=AgentBeat) for r in raws if r]
        return sorted(beats, key=lambda beat: beat.node)

    def forget_nodes(self, job_id: str) -> None:
        """Forget where a job ran: its new attempt may run elsewhere, and agents tell in seconds."""
        self.redis.delete(f"{PREFIX}:nodes:{job_id}")

    def nodes_of(self, job_id: str) -> list[SeenNode]:
        """Return every node on which an agent has seen the job, also those silent now."""
        raws = cast("list[bytes]", self.redis.hvals(f"{PREFIX}:nodes:{job_id}"))
        nodes = [msgspec.json.decode(raw, type=SeenNode) for raw in raws]
        return sorted(nodes, key=lambda node: node.node)

    def job_ids(self) -> list[str]:
        """Return the ids of all known jobs, from events and from heartbeats."""
        from_events = {job.id for job in self.all(Job)}
        prefix = f"{PREFIX}:nodes:"
        keys = (cast("bytes", key).decode() for key in self.redis.scan_iter(f"{prefix}*"))
        return sorted(from_events | {key.removeprefix(prefix) for key in keys})

    # The one open incident of a job.

    def open_incident(self, job_id: str) -> str:
        """Return the id of the job's open incident, or an empty string."""
        raw = cast("bytes | None", self.redis.get(f"{PREFIX}:open:{job_id}"))
        return raw.decode() if raw else ""

    def set_open_incident(self, job_id: str, incident_id: str) -> str:
        """Make an incident the job's open one unless there is one; return the open one's id."""
        key = f"{PREFIX}:open:{job_id}"
        if self.redis.set(key, incident_id, ex=self.ttl, nx=True):
            return incident_id
        return self.open_incident(job_id) or self.set_open_incident(job_id, incident_id)

    def clear_open_incident(self, job_id: str, incident_id: str) -> None:
        """Forget the job's open incident if it is this one."""
        if self.open_incident(job_id) == incident_id:
            self.redis.delete(f"{PREFIX}:open:{job_id}")


_IF_OURS_EXPIRE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
_IF_OURS_DELETE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""
_NEXT_PRINT_ID = """
local last = redis.call('GET', KEYS[1]) or '0'
local fresh = ARGV[1]
-- Nanoseconds do not fit a Lua number: seconds and the rest are counted apart.
if fresh <= last then
  local seconds, rest = tonumber(string.sub(last, 1, -10)), tonumber(string.sub(last, -9)) + 1
  if rest == 1000000000 then seconds, rest = seconds + 1, 0 end
  fresh = string.format('%d%09d', seconds, rest)
end
redis.call('SET', KEYS[1], fresh)
return fresh
"""
