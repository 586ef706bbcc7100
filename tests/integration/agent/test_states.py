"""A torch job whose ranks are in the states that hangs are made of."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agent.client import Client, by_rank, functions
from tests.agent.conftest import Serve, free_port
from tests.agent.targets import fake_py_spy, state_of, wait_until
from tests.integration.agent.job import TORCHRUN, Job, job, ranks_of

pytestmark = [pytest.mark.integration, pytest.mark.torch]
RANKS = 4
MANY_THREADS, IN_D, STOPPED = 1, 2, 3


@pytest.fixture(scope="module")
def hung(folder: Path) -> Iterator[Job]:
    """Four ranks with a RANK of their own and no launcher; rank 2 hangs in D, the others wait."""
    with job("states", folder) as started:
        address: dict[str, Any] = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
        address["WORLD_SIZE"] = RANKS
        program = started.program("--hang", str(IN_D), "--threads", "400")
        for rank in range(RANKS):
            started.start(*program, RANK=rank, LOCAL_RANK=rank, **address)
        started.wait_until_ready(RANKS)
        yield started


def pid_of(hung: Job, rank: int) -> int:
    return hung.started[rank].pid


def test_every_rank_of_the_hang_is_shown_and_none_is_stopped(hung: Job, agent: Client) -> None:
    first, second, _ = agent.capture(hung.id, samples=2, interval_s=0.2)

    for sample in (first, second):
        assert ranks_of(sample, "trainer") == [0, 1, 2, 3]
        for trainer in by_rank(sample).values():
            assert trainer["error"] is None
            assert (trainer["mode"], trainer["pause_ms"]) == ("nonblocking", 0)


def test_a_rank_in_state_d_shows_its_stack_and_the_others_that_they_wait(
    hung: Job, agent: Client
) -> None:
    wait_until(lambda: state_of(pid_of(hung, IN_D)) == "D")

    trainers = by_rank(agent.capture(hung.id)[0])

    assert trainers[IN_D]["state"] == "D"
    assert "wait_in_d" in functions(trainers[IN_D])
    for rank in {0, MANY_THREADS, STOPPED}:
        assert "all_reduce" in functions(trainers[rank])
    assert state_of(pid_of(hung, IN_D)) == "D"


def test_a_rank_in_state_d_is_never_stopped(hung: Job, folder: Path, serve: Serve) -> None:
    # GIVEN a py-spy that finds nothing, so that only a blocking try would be left
    calls = folder / "calls"
    failing = fake_py_spy(folder, f'echo "$@" >> {calls}; exit 1')

    sample, _ = serve(py_spy=failing).capture(hung.id)

    assert by_rank(sample)[IN_D]["state"] == "D"
    blocking = [line for line in calls.read_text().splitlines() if "--nonblocking" not in line]
    assert any(str(pid_of(hung, 0)) in line for line in blocking)
    assert not any(str(pid_of(hung, IN_D)) in line for line in blocking)


def test_a_stopped_rank_is_dumped_and_stays_stopped(hung: Job, agent: Client) -> None:
    hung.stop(pid_of(hung, STOPPED))
    try:
        trainer = by_rank(agent.capture(hung.id)[0])[STOPPED]
        assert state_of(pid_of(hung, STOPPED)) == "T"
    finally:
        hung.resume(pid_of(hung, STOPPED))

    assert trainer["state"] == "T"
    assert trainer["error"] is None
    assert "all_reduce" in functions(trainer)


def test_a_rank_with_400_threads(hung: Job, agent: Client) -> None:
    trainer = by_rank(agent.capture(hung.id)[0])[MANY_THREADS]

    assert len(trainer["threads"]) > 400
    assert len(trainer["tasks"]) >= len(trainer["threads"])
    assert "all_reduce" in functions(trainer)


def test_a_rank_that_exits_while_it_is_dumped_and_is_then_a_zombie(
    hung: Job, folder: Path, agent: Client, serve: Serve
) -> None:
    # GIVEN a py-spy that kills rank 0 before it dumps it; its peers then fail by themselves
    pid = pid_of(hung, 0)
    killer = fake_py_spy(folder, f'[ "$4" = {pid} ] && kill -9 {pid}; exec "$REAL" "$@"')

    sample, end = serve(py_spy=killer).capture(hung.id)

    assert end == {"end": True}
    rows = {p["rank"]: p for p in sample["processes"] if p["role"] in {"trainer", "dead"}}
    assert sorted(rows) == [0, 1, 2, 3]
    assert rows[0]["pid"] == pid
    assert rows[0]["error"].split(":")[0] in {"gone", "zombie"}

    # AND an agent that has seen it before reports it as dead, with its rank
    wait_until(lambda: state_of(pid) == "Z")
    dead = by_rank(agent.capture(hung.id)[0], "dead")[0]
    assert (dead["pid"], dead["state"]) == (pid, "Z")
    assert dead["error"].startswith("zombie: ")


def test_a_zombie_that_the_launcher_has_not_collected(folder: Path, agent: Client) -> None:
    with job("zombie", folder) as started:
        launcher = started.start(*TORCHRUN, *started.program())
        started.wait_until_ready(2)
        pid = by_rank(agent.capture(started.id)[0])[1]["pid"]
        # A launcher that does not come round to collecting.
        started.stop(launcher)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: state_of(pid) == "Z")

        sample, _ = agent.capture(started.id)

        assert by_rank(sample, "dead")[1]["state"] == "Z"
        assert by_rank(sample, "dead")[1]["error"].startswith("zombie: ")
        assert not started.py_spies()
        assert not started.left_stopped()
