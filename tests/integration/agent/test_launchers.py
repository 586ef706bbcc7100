"""Torch jobs as they are launched: every process gets its right rank and role."""

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from agent.procfs import PROC, read_bytes
from rankscope.analysis.columns import with_rows
from tests.agent.client import Client, by_rank, functions
from tests.agent.conftest import free_port
from tests.integration.agent.job import TORCHRUN, Job, job, of_role, ranks_of

pytestmark = [pytest.mark.integration, pytest.mark.torch]


@pytest.fixture(scope="module", params=["fork", "spawn"])
def with_loaders(request: pytest.FixtureRequest, folder: Path) -> Iterator[Job]:
    """Two ranks under torchrun, each with two DataLoader workers."""
    with job(f"loaders-{request.param}", folder) as started:
        started.start(*TORCHRUN, *started.program("--loaders", request.param))
        started.wait_until_ready(2)
        yield started


def assert_two_trainers(sample: dict[str, Any]) -> None:
    trainers = by_rank(sample)
    assert sorted(trainers) == [0, 1]
    assert len(of_role(sample, "trainer")) == 2
    for rank, trainer in trainers.items():
        assert trainer["local_rank"] == rank
        assert trainer["error"] is None
        assert (trainer["mode"], trainer["pause_ms"]) == ("nonblocking", 0)
        assert "loop" in functions(trainer)
        assert trainer["facts"] == {"torch": version("torch"), "cuda": None, "nccl": None}


def test_torchrun_with_dataloader_workers(with_loaders: Job, agent: Client) -> None:
    first, second, end = agent.capture(with_loaders.id, samples=2, interval_s=0.2)

    assert end == {"end": True}
    for sample in (first, second):
        assert_two_trainers(sample)
        assert ranks_of(sample, "dataloader") == [0, 0, 1, 1]
        assert ranks_of(sample, "launcher") == [None]
        for worker in of_role(sample, "dataloader"):
            assert "_worker_loop" in functions(worker)
        assert {p["pid"] for p in sample["processes"]} >= with_loaders.pids()


def test_the_variables_of_all_ranks_are_there_to_be_compared(
    with_loaders: Job, agent: Client
) -> None:
    sample, _ = agent.capture(with_loaders.id)

    env = [trainer["env"] for _, trainer in sorted(by_rank(sample).items())]
    assert [variables["RANK"] for variables in env] == ["0", "1"]
    assert [variables["WORLD_SIZE"] for variables in env] == ["2", "2"]
    for name in ("MASTER_ADDR", "MASTER_PORT", "LOCAL_WORLD_SIZE", "GROUP_RANK"):
        assert env[0][name] == env[1][name]


def test_interned_stacks_say_the_same_in_fewer_words(with_loaders: Job, agent: Client) -> None:
    sample, _ = agent.capture(with_loaders.id, interned=True)

    threads = [thread for process in sample["processes"] for thread in process["threads"]]
    assert len(sample["stacks"]) < len(threads)
    for thread in threads:
        thread["frames"] = sample["stacks"][thread.pop("stack")]
    assert_two_trainers(sample)


def test_columns_say_the_same_in_fewer_words(with_loaders: Job, agent: Client) -> None:
    sample, _ = agent.capture(with_loaders.id, columns=True)

    assert len(sample["process_kinds"]) < len(sample["processes"])
    rows = [with_rows(process, sample) for process in sample["processes"]]
    for thread in (thread for process in rows for thread in process["threads"]):
        thread["frames"] = sample["stacks"][thread.pop("stack")]
    assert_two_trainers({**sample, "processes": rows})
    for trainer in (process for process in rows if process["role"] == "trainer"):
        assert trainer["tasks"][0]["tid"] == trainer["pid"]


def test_native_frames_of_one_rank(with_loaders: Job, agent: Client) -> None:
    sample, _ = agent.capture(with_loaders.id, native=[1], budget_s=60)

    modes = {rank: trainer["mode"] for rank, trainer in by_rank(sample).items()}
    assert modes == {0: "nonblocking", 1: "native"}
    frames = [f for thread in by_rank(sample)[1]["threads"] for f in thread["frames"]]
    assert any(".so" in frame["filename"] for frame in frames)


def test_mp_spawn_sets_the_rank_after_the_start(folder: Path, agent: Client) -> None:
    with job("mp-spawn", folder) as started:
        # A RANK that the pod gave the parent, and every rank inherits at its start.
        address: dict[str, Any] = {
            "RANK": 0,
            "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": free_port(),
        }
        parent = started.start(*started.program("--spawn", "2"), **address)
        started.wait_until_ready(2)

        sample, _ = agent.capture(started.id)

        assert_two_trainers(sample)
        assert [launcher["pid"] for launcher in of_role(sample, "launcher")] == [parent]
        pid = by_rank(sample)[1]["pid"]
        assert b"\0RANK=1\0" not in read_bytes(PROC / str(pid) / "environ")
        check_nothing_left(started)


def test_setproctitle_hides_no_rank(folder: Path, agent: Client) -> None:
    with job("title", folder) as started:
        started.start(*TORCHRUN, *started.program("--title"))
        started.wait_until_ready(2)

        sample, _ = agent.capture(started.id)

        assert_two_trainers(sample)
        trainer = by_rank(sample)[1]
        assert "trainer of rank 1" in " ".join(trainer["cmdline"])
        assert b"RANK=1" not in read_bytes(PROC / str(trainer["pid"]) / "environ")
        check_nothing_left(started)


def test_a_job_in_its_own_pid_namespace(folder: Path, agent: Client) -> None:
    with job("namespace", folder) as started:
        prefix = ("unshare", "--pid", "--fork", "--mount-proc")
        started.start(*TORCHRUN, *started.program("--loaders", "fork"), prefix=prefix)
        started.wait_until_ready(2)

        sample, _ = agent.capture(started.id)

        assert_two_trainers(sample)
        assert ranks_of(sample, "dataloader") == [0, 0, 1, 1]
        for trainer in by_rank(sample).values():
            main = next(t for t in trainer["threads"] if t["os_thread_id"] == trainer["pid"])
            assert main["inner_tid"] != main["os_thread_id"]
            assert main["active"] is (main["state"] == "R")
            assert trainer["pid"] in {task["tid"] for task in trainer["tasks"]}
        check_nothing_left(started)


def test_idle_compile_workers_are_no_trainers(folder: Path, agent: Client) -> None:
    with job("compile", folder) as started:
        started.start(*TORCHRUN, *started.program("--compile"))
        started.wait_until_ready(2)

        sample, _ = agent.capture(started.id)

        assert_two_trainers(sample)
        assert set(ranks_of(sample, "compile")) == {0, 1}
        others = {p["role"] for p in sample["processes"]} - {"trainer", "launcher", "compile"}
        assert others <= {"helper"}
        check_nothing_left(started)


def check_nothing_left(started: Job) -> None:
    assert not started.py_spies()
    assert not started.left_stopped()
