"""Which nodes are asked."""

import time
from dataclasses import replace

import msgspec

from rankscope.capture import Target
from rankscope.incidents import targets_of, world_size_of
from rankscope.model.state import AgentBeat, Job
from rankscope.store.state import SeenNode, State

JOB = Job(id="jo-1")


def seen(state: State, node: str, seconds_ago: float) -> None:
    raw = msgspec.json.encode(SeenNode(node, f"http://{node}:9000", time.time() - seconds_ago))
    state.redis.hset("rankscope:nodes:jo-1", node, raw.decode())


def nodes(state: State, job: Job = JOB) -> list[str]:
    return [target.node for target in targets_of(state, job)]


def test_the_node_of_rank_0_comes_first(running: State) -> None:
    running.beat(replace(running.agents()[0], node="gpu99"))

    assert nodes(running) == ["gpu07", "gpu99", "gpu08"]


def test_nodes_of_events_are_added(running: State) -> None:
    job = replace(JOB, nodes={"gpu09": "http://10.0.0.9:9000", "gpu10": ""})

    assert targets_of(running, job)[2:] == (
        Target("gpu09", "http://10.0.0.9:9000"),
        Target("gpu10"),
    )


def test_an_agent_has_one_name(running: State) -> None:
    job = replace(JOB, nodes={"pod-7": "http://10.0.0.0:9000", "gpu08": "http://elsewhere"})

    assert targets_of(running, job) == (
        Target("gpu07", "http://10.0.0.0:9000"),
        Target("gpu08", "http://10.0.0.1:9000"),
    )


def test_a_silent_node_is_asked_all_the_same(running: State) -> None:
    seen(running, "gpu09", 7200)

    assert "gpu09" in nodes(running)


def test_a_node_the_job_has_left_long_ago_is_not_asked(running: State) -> None:
    for node, seconds in (("gpu09", 7200.0), ("gpu10", 60.0)):
        seen(running, node, seconds)
        running.beat(AgentBeat(node=node, endpoint=f"http://{node}:9000", version="1"))

    assert "gpu09" not in nodes(running)
    assert "gpu10" in nodes(running)


def test_the_world_size_is_told_by_events_or_agents(running: State) -> None:
    assert world_size_of(running, JOB) == 16
    assert world_size_of(running, replace(JOB, world_size=32)) == 32
    assert world_size_of(running, Job(id="jo-2")) is None
