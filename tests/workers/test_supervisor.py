"""`rankscope worker` as processes: respawned, stopped softly, leaving nothing behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from redis import Redis
from rq import Worker

from rankscope.queueing import Queue, Task, rq_queue, submit
from tests.integration.worker_tree import WorkerTree, children, tree, worker_tree
from workers.cli import worker

pytestmark = pytest.mark.integration

WAIT_S = 60.0


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def environment(redis: Redis, redis_url: str, tmp_path: Path) -> dict[str, str]:
    return {"REDIS_URL": redis_url, "RANKSCOPE_DATA_DIR": str(tmp_path)}


@pytest.fixture
def workers(environment: dict[str, str]) -> Iterator[WorkerTree]:
    with worker_tree(environment) as workers:
        yield workers


def registered(redis: Redis) -> int:
    return int(redis.scard("rq:workers"))


def at_work(redis: Redis, workers: WorkerTree) -> set[int]:
    """Return the processes that live and that RQ knows as its workers."""
    known = {one.pid for one in Worker.all(connection=redis)}
    return {pid for pid in children(workers.pid) if pid in known}


def test_a_dead_worker_is_replaced(redis: Redis, workers: WorkerTree) -> None:
    wait_until(lambda: registered(redis) == 2)
    before = children(workers.pid)
    os.kill(before[0], signal.SIGKILL)

    # The dead one may stay listed until it is cleaned up.
    wait_until(lambda: len(at_work(redis, workers) - set(before)) == 1)
    assert before[1] in at_work(redis, workers)


def test_sigterm_stops_all_and_exits_cleanly(redis: Redis, workers: WorkerTree) -> None:
    wait_until(lambda: registered(redis) == 2)
    pids = tree(workers.pid)

    workers.supervisor.send_signal(signal.SIGTERM)

    assert workers.supervisor.wait(WAIT_S) == 0
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    assert registered(redis) == 0


def test_workers_die_with_their_supervisor(redis: Redis, workers: WorkerTree) -> None:
    wait_until(lambda: registered(redis) == 2)
    pids = children(workers.pid)

    workers.supervisor.kill()

    wait_until(lambda: not [pid for pid in pids if Path(f"/proc/{pid}").exists()])


def test_burst_empties_the_queues_and_ends(redis: Redis, environment: dict[str, str]) -> None:
    submit(redis, Task.RETENTION, unique_id="retention")
    command = [sys.executable, "-m", "rankscope", "worker", "--burst", "--queue", "work"]

    ended = subprocess.run(
        [*command, "--processes", "1"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert rq_queue(redis, Queue.WORK).get_job_ids() == []
    assert '"event": "captures deleted"' in ended.stderr


def test_the_help_says_what_it_needs() -> None:
    shown = CliRunner().invoke(worker, ["--help"])

    assert "REDIS_URL" in shown.output
    assert "--queue [chat|work]" in shown.output
