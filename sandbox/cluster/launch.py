"""Start the training job: `python -m sandbox.cluster.launch`, one process per rank.

The launcher injects the fault after a step. It does not end the job when a rank dies, so that the
others wait, unless the fault is one that launchers notice. Everything it started ends with it.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

import click

from sandbox.cluster.corpus import write_corpus
from sandbox.cluster.elastic import Failed, write_ending
from sandbox.cluster.faults import Fault, inject

POLL_S = 0.1
KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "PYTHONPATH", "VIRTUAL_ENV", "TZ")
_STEP = re.compile(rb"\biteration +(\d+)/")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to start; nodes are pairs of a name and its loopback address."""

    job_id: str
    nodes: tuple[tuple[str, str], ...]
    ranks_per_node: int
    log: Path
    data: Path
    fault: Fault
    fault_rank: int
    fault_step: int
    step_ms: float
    steps: int

    @property
    def world_size(self) -> int:
        """How many ranks there are."""
        return len(self.nodes) * self.ranks_per_node


class Launcher:
    """Starts the ranks, watches over them, injects the fault."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._ranks: dict[int, subprocess.Popen[bytes]] = {}
        self._reported: set[int] = set()
        self._injected = plan.fault is Fault.NONE

    def run(self) -> int:
        """Run until all ranks have ended; return 0 when all did well."""
        plan = self._plan
        write_corpus(plan.data, plan.world_size)
        port = free_port(plan.nodes[0][1])
        with plan.log.open("ab") as log:
            for rank in range(plan.world_size):
                self._ranks[rank] = self._start(rank, port, log)
        click.echo(f"job {plan.job_id}: {plan.world_size} ranks started, log {plan.log}")
        try:
            while any(process.poll() is None for process in self._ranks.values()):
                self._look()
                if plan.fault is Fault.OOM and self._end_with_the_first():
                    break
                time.sleep(POLL_S)
            self._report_dead()
        finally:
            self.stop()
        return int(any(process.returncode for process in self._ranks.values()))

    def stop(self) -> None:
        """Kill what is still there; SIGKILL also ends a stopped process."""
        for process in self._ranks.values():
            process.kill()
        for process in self._ranks.values():
            process.wait()

    def _start(self, rank: int, port: int, log: IO[bytes]) -> subprocess.Popen[bytes]:
        plan = self._plan
        node, host = plan.nodes[rank // plan.ranks_per_node]
        options = ["--data", str(plan.data), "--host", host, "--step-ms", str(plan.step_ms)]
        options += ["--steps", str(plan.steps), "--launcher", str(os.getpid())]
        return subprocess.Popen(
            [sys.executable, "-m", "sandbox.cluster.trainer", *options],
            env=self._environment(rank, node, port),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )

    def _environment(self, rank: int, node: str, port: int) -> dict[str, str]:
        plan = self._plan
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return kept | {
            "RANK": str(rank),
            "LOCAL_RANK": str(rank % plan.ranks_per_node),
            "WORLD_SIZE": str(plan.world_size),
            "LOCAL_WORLD_SIZE": str(plan.ranks_per_node),
            "MASTER_ADDR": plan.nodes[0][1],
            "MASTER_PORT": str(port),
            "RANKSCOPE_JOB_ID": plan.job_id,
            "RANKSCOPE_NODE": node,
        }

    def _look(self) -> None:
        self._report_dead()
        plan = self._plan
        if not self._injected and last_step(plan.log) >= plan.fault_step:
            self._injected = True
            inject(plan.fault, plan.data, plan.fault_rank, self._ranks[plan.fault_rank].pid)
            click.echo(f"fault {plan.fault}: rank {plan.fault_rank}")

    def _end_with_the_first(self) -> bool:
        """End the job when a rank has failed, and write whose fault it was, as torchrun does."""
        plan = self._plan
        dead = [rank for rank, process in self._ranks.items() if process.poll()]
        if not dead:
            return False
        rank, first = dead[0], self._ranks[dead[0]]
        place = divmod(rank, plan.ranks_per_node)
        failed = Failed(rank, place[1], plan.nodes[place[0]][0], first.pid, first.returncode)
        others = [one.pid for one in self._ranks.values() if one.poll() is None]
        with plan.log.open("ab") as log:
            write_ending(log, failed, others)
        return True

    def _report_dead(self) -> None:
        for rank, process in self._ranks.items():
            if process.poll() is not None and rank not in self._reported:
                self._reported.add(rank)
                click.echo(f"rank {rank} (PID {process.pid}) ended: {process.returncode}")


def last_step(log: Path) -> int:
    """Return the last step in the tail of a log, 0 when there is none."""
    with log.open("rb") as stream:
        stream.seek(max(0, log.stat().st_size - 4096))
        found = _STEP.findall(stream.read())
    return int(found[-1]) if found else 0


def free_port(host: str) -> int:
    """Return a TCP port that nobody uses at the moment."""
    with socket.create_server((host, 0)) as server:
        return int(server.getsockname()[1])


def parse_nodes(text: str) -> tuple[tuple[str, str], ...]:
    """Read `node-a:127.0.0.2,node-b:127.0.0.3`; raises click.BadParameter."""
    return tuple(_parse_nodes(text))


def _parse_nodes(text: str) -> Iterator[tuple[str, str]]:
    for item in text.split(","):
        name, separator, host = item.partition(":")
        if not (name and separator and host):
            raise click.BadParameter(f"{item!r} is not NAME:ADDRESS", param_hint="--nodes")
        yield name, host


def _stop(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)


@click.command()
@click.option("--job-id", required=True, help="Id of the job.")
@click.option(
    "--nodes", default="node-a:127.0.0.2,node-b:127.0.0.3", show_default=True,
    help="Nodes, as NAME:ADDRESS, comma-separated.",
)  # fmt: skip
@click.option("--ranks-per-node", default=4, show_default=True, help="Processes on each node.")
@click.option(
    "--log", type=click.Path(path_type=Path), required=True, help="Training log to append to."
)
@click.option(
    "--data", type=click.Path(path_type=Path), required=True, help="Folder for the corpus."
)
@click.option(
    "--fault", type=click.Choice([str(fault) for fault in Fault]), default="none",
    show_default=True, help="What goes wrong.",
)  # fmt: skip
@click.option("--fault-rank", default=5, show_default=True, help="With which rank.")
@click.option("--fault-step", default=12, show_default=True, help="After which step.")
@click.option("--step-ms", default=200.0, show_default=True, help="Usual length of a step.")
@click.option("--steps", default=500_000, show_default=True, help="Steps to train.")
def main(nodes: str, fault: str, **options: object) -> None:
    """Run a training job of real processes, and let something go wrong."""
    plan = Plan(nodes=parse_nodes(nodes), fault=Fault(fault), **options)  # type: ignore[arg-type]
    if not 0 <= plan.fault_rank < plan.world_size:
        raise click.BadParameter(
            f"there are ranks 0 to {plan.world_size - 1}", param_hint="--fault-rank"
        )
    signal.signal(signal.SIGTERM, _stop)
    sys.exit(Launcher(plan).run())


if __name__ == "__main__":
    main()
