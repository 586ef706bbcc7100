"""Which nodes a capture of a job asks: those that agents reported, and those that events named."""

import math
import time

from rankscope.capture.request import Target
from rankscope.model.state import AgentBeat, AgentJob, Job
from rankscope.store.state import SeenNode, State

LEFT_AFTER_S = 3600.0
"""An agent that lives but has not seen the job for so long says that the job has moved away.

Before that the node is asked all the same: a node whose ranks have died is what people look for.
"""


def targets_of(state: State, job: Job) -> tuple[Target, ...]:
    """Return the nodes to ask, that of rank 0 first; a node without a known agent has no endpoint.

    The order is that of the ranks as far as agents told them, then that of the names.
    """
    beats = {beat.node: beat for beat in state.agents()}
    seen = [node for node in state.nodes_of(job.id) if not _has_left(node, beats)]
    known = {node.endpoint for node in seen}
    named = {node: url for node, url in job.nodes.items() if url not in known or not url}
    endpoints = named | {node.node: node.endpoint for node in seen}
    order = sorted(endpoints, key=lambda node: (_first_rank(beats.get(node), job.id), node))
    return tuple(Target(node, endpoints[node]) for node in order)


def world_size_of(state: State, job: Job) -> int | None:
    """Return the number of ranks as events or agents told it, or None."""
    if job.world_size is not None:
        return job.world_size
    sizes = [
        seen.world_size for beat in state.agents() for seen in beat.jobs if seen.job_id == job.id
    ]
    return max((size for size in sizes if size is not None), default=None)


def _has_left(node: SeenNode, beats: dict[str, AgentBeat]) -> bool:
    return node.node in beats and time.time() - node.seen_at > LEFT_AFTER_S


def _first_rank(beat: AgentBeat | None, job_id: str) -> float:
    seen = _jobs(beat, job_id) if beat else []
    return min((rank for one in seen for rank in one.ranks), default=math.inf)


def _jobs(beat: AgentBeat, job_id: str) -> list[AgentJob]:
    return [seen for seen in beat.jobs if seen.job_id == job_id]
