"""A State over fakeredis, with a job that runs on two nodes, and small helpers.

state      State over an empty fake Redis
running    the same, after agents have reported job `jo-1` on two nodes
"""

from datetime import UTC, datetime, timedelta

import pytest
from fakeredis import FakeRedis
from redis import Redis

from rankscope.model.event import Event, EventJob
from rankscope.model.state import AgentBeat, AgentJob, Incident, Outgoing
from rankscope.queueing import Queue, rq_queue
from rankscope.settings import Settings
from rankscope.store.state import State
from tests.conftest import MakeSettings

CHAT = "oc_team"
BEGIN = datetime(2026, 6, 8, 3, 0, tzinfo=UTC)


@pytest.fixture
def state() -> State:
    return State(FakeRedis())


@pytest.fixture
def settings(make_settings: MakeSettings) -> Settings:
    return make_settings(feishu_chat_id=CHAT)


@pytest.fixture
def running(state: State) -> State:
    for number, node in enumerate(("gpu07", "gpu08")):
        ranks = tuple(range(8 * number, 8 * number + 8))
        seen = AgentJob(job_id="jo-1", ranks=ranks, world_size=16)
        beat = AgentBeat(
            node=node, endpoint=f"http://10.0.0.{number}:9000", version="1", jobs=(seen,)
        )
        state.beat(beat)
    return state


def event(kind: str, minute: float = 0, attempt: int = 0, **fields: object) -> Event:
    """Return an event of jo-1 so many minutes after the beginning."""
    values: dict[str, object] = {
        "id": f"{kind}-{minute}-{attempt}",
        "type": kind,
        "job": EventJob(id="jo-1"),
        "time": BEGIN + timedelta(minutes=minute),
        "attempt": attempt,
    }
    return Event(**(values | fields))  # type: ignore[arg-type]


def the_incident(state: State) -> Incident:
    """Return the only incident there is."""
    [incident] = state.all(Incident)
    return incident


def replies(state: State) -> dict[str, str]:
    """Return what was said below cards and commands, by the end of its id."""
    said = [o for o in state.all(Outgoing) if not o.incident_id]
    return {o.id.rpartition(":")[2]: str(o.content["text"]) for o in said}


def queued(redis: Redis) -> list[str]:
    """Return the ids of the RQ jobs that wait."""
    return [job_id for queue in Queue for job_id in rq_queue(redis, queue).get_job_ids()]
