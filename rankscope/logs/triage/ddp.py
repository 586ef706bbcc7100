"""Variables of a distributed launch that contradict each other."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rankscope.model.text import Text
from rankscope.text import say

_NODES = re.compile(r"--nnodes[= ](?P<value>\d+)\b(?!:)")
_PER_NODE = re.compile(r"--nproc[-_]per[-_]node[= ](?P<value>\d+)\b")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})  # noqa: S104 - compared only.
_SAME_EVERYWHERE = ("WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
MOST_SHOWN = 8


def check_launch(
    processes: Sequence[Mapping[str, str]],
    *,
    command: str = "",
    workers: int | None = None,
    gpus_per_worker: int | None = None,
) -> tuple[Text, ...]:
    """Return the contradictions between the environments of a job's trainers and its shape.

    processes are the allow-listed environments of the trainers, one each; workers and
    gpus_per_worker are what the create page says.
    """
    return (
        *_unequal(processes),
        *_ranks(processes),
        *_master(processes, workers),
        *_shape(processes, command, workers, gpus_per_worker),
    )


def _unequal(processes: Sequence[Mapping[str, str]]) -> Iterator[Text]:
    for name in _SAME_EVERYWHERE:
        values = sorted({env[name] for env in processes if env.get(name)})
        if len(values) > 1:
            yield say("triage-ddp-unequal", name=name, values=", ".join(values[:MOST_SHOWN]))


def _ranks(processes: Sequence[Mapping[str, str]]) -> Iterator[Text]:
    ranks = [int(env["RANK"]) for env in processes if env.get("RANK", "").isdigit()]
    double = sorted(rank for rank, count in Counter(ranks).items() if count > 1)
    if double:
        yield say("triage-ddp-double", ranks=", ".join(map(str, double[:MOST_SHOWN])))
    world = max((_whole(env, "WORLD_SIZE") or 0 for env in processes), default=0)
    beyond = sorted(rank for rank in set(ranks) if world and rank >= world)
    if beyond:
        shown = ", ".join(map(str, beyond[:MOST_SHOWN]))
        yield say("triage-ddp-beyond", ranks=shown, world=world)
    for env in processes:
        local, per_node = _whole(env, "LOCAL_RANK"), _whole(env, "LOCAL_WORLD_SIZE")
        if local is not None and per_node is not None and local >= per_node:
            yield say("triage-ddp-local", local=local, per_node=per_node)
            return


def _master(processes: Sequence[Mapping[str, str]], workers: int | None) -> Iterator[Text]:
    addresses = {env["MASTER_ADDR"] for env in processes if env.get("MASTER_ADDR")}
    nodes = max((_nodes(env) for env in processes), default=1)
    if addresses & _LOOPBACK and max(nodes, workers or 1) > 1:
        yield say("triage-ddp-loopback", address=min(addresses & _LOOPBACK))


def _shape(
    processes: Sequence[Mapping[str, str]],
    command: str,
    workers: int | None,
    gpus_per_worker: int | None,
) -> Iterator[Text]:
    nodes, per_node = _NODES.search(command), _PER_NODE.search(command)
    if nodes and workers and int(nodes["value"]) != workers:
        yield say("triage-ddp-nnodes", nnodes=nodes["value"], workers=workers)
    if per_node and gpus_per_worker and int(per_node["value"]) != gpus_per_worker:
        yield say("triage-ddp-nproc", nproc=per_node["value"], gpus=gpus_per_worker)
    world = max((_whole(env, "WORLD_SIZE") or 0 for env in processes), default=0)
    if world and workers and gpus_per_worker and world != workers * gpus_per_worker:
        yield say("triage-ddp-world", world=world, workers=workers, gpus=gpus_per_worker)


def _whole(env: Mapping[str, str], name: str) -> int | None:
    return int(env[name]) if env.get(name, "").isdigit() else None


def _nodes(env: Mapping[str, str]) -> int:
    world, per_node = _whole(env, "WORLD_SIZE"), _whole(env, "LOCAL_WORLD_SIZE")
    return max(1, world // per_node) if world and per_node else 1
