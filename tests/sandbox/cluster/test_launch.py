import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from rankscope.logs.first_error import first_error_of_texts
from sandbox.cluster.launch import last_step, parse_nodes

RANK = 5


@dataclass
class Job:
    """A launched job, looked at from outside."""

    process: subprocess.Popen[bytes]
    log: Path
    output: Path

    def trainers(self) -> dict[int, int]:
        """Return the PIDs of the living trainers by rank."""
        found = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and parent_of(int(entry.name)) == self.process.pid:
                found[int(environment_of(int(entry.name))["RANK"])] = int(entry.name)
        return found

    def wait(self, true: Callable[[], object]) -> None:
        """Wait until something is true while the launcher runs."""
        while not true():
            assert self.process.poll() is None, self.output.read_text() + self.log.read_text()
            time.sleep(0.02)

    def wait_until_silent(self) -> int:
        """Wait until the fault has struck and no step was logged for a second."""
        self.wait(lambda: "fault" in self.output.read_text())
        before = -1
        while before != last_step(self.log):
            before = last_step(self.log)
            time.sleep(1)
        return before


def parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0


def environment_of(pid: int) -> dict[str, str]:
    text = Path(f"/proc/{pid}/environ").read_text()
    return dict(item.split("=", 1) for item in text.split("\0") if item)


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def functions(pid: int) -> list[str]:
    """Return the functions of a process's main thread, innermost first, as py-spy sees them."""
    py_spy = shutil.which("py-spy", path=Path(sys.executable).parent)
    assert py_spy, "py-spy is not installed beside this Python"
    command = [py_spy, "dump", "--json", "--nonblocking", "--pid", str(pid)]
    threads = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    (main,) = (thread for thread in threads if thread["thread_name"] == "MainThread")
    return [frame["name"].rpartition(".")[2] for frame in main["frames"]]


def children(pid: int) -> list[int]:
    return [
        int(entry.name)
        for entry in Path("/proc").iterdir()
        if entry.name.isdigit() and parent_of(int(entry.name)) == pid
    ]


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[..., Job]]:
    jobs = []

    def start(fault: str, *options: str) -> Job:
        log, output = tmp_path / "train.log", tmp_path / "launch.log"
        log.touch()
        command = [sys.executable, "-m", "sandbox.cluster.launch", "--job-id", "jo-test"]
        command += ["--log", str(log), "--data", str(tmp_path / "data"), "--step-ms", "40"]
        command += ["--fault", fault, "--fault-rank", str(RANK), "--fault-step", "3", *options]
        with output.open("wb") as stream:
            jobs.append(Job(subprocess.Popen(command, stdout=stream, stderr=stream), log, output))
        return jobs[-1]

    yield start
    for job in jobs:
        job.process.terminate()
        job.process.wait()


def test_nodes_are_names_and_addresses() -> None:
    assert parse_nodes("a:127.0.0.2,b:127.0.0.3") == (("a", "127.0.0.2"), ("b", "127.0.0.3"))


@pytest.mark.parametrize("text", ["", "a", "a:", ":127.0.0.1", "a:1,,b:2"])
def test_other_nodes_are_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="NAME:ADDRESS"):
        parse_nodes(text)


def test_the_last_step_of_a_log_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(" iteration        1/ 10 | x\n iteration        2/ 10 | x\nwords\n")

    assert last_step(log) == 2


@pytest.mark.integration
def test_a_job_ends_well_after_its_steps(launch: Callable[..., Job]) -> None:
    job = launch("none", "--steps", "4")

    assert job.process.wait() == 0
    assert last_step(job.log) == 4


@pytest.mark.integration
def test_ranks_are_told_their_place(launch: Callable[..., Job]) -> None:
    job = launch("none")
    job.wait(lambda: last_step(job.log) > 0)

    environments = {rank: environment_of(pid) for rank, pid in job.trainers().items()}

    assert sorted(environments) == list(range(8))
    assert {env["RANKSCOPE_NODE"] for env in environments.values()} == {"node-a", "node-b"}
    assert [environments[rank]["LOCAL_RANK"] for rank in range(8)] == [*"01230123"]
    assert {env["RANKSCOPE_JOB_ID"] for env in environments.values()} == {"jo-test"}
    assert environments[0]["MASTER_ADDR"] == "127.0.0.2"


@pytest.mark.integration
@pytest.mark.parametrize(
    ("fault", "expected", "state"),
    [("fifo", "next_batch", "S"), ("spin", "document_length", "R"), ("sigstop", "fit", "T")],
)
def test_one_rank_is_stuck_and_the_others_wait(
    launch: Callable[..., Job], fault: str, expected: str, state: str
) -> None:
    job = launch(fault)
    job.wait_until_silent()
    trainers = job.trainers()

    assert expected in functions(trainers[RANK])
    assert state_of(trainers[RANK]) == state
    for rank, pid in trainers.items():
        if rank != RANK:
            assert functions(pid)[0] == "_receive"
            assert "all_reduce" in functions(pid)


@pytest.mark.integration
def test_the_data_worker_of_the_rank_hangs_on_the_fifo(launch: Callable[..., Job]) -> None:
    job = launch("fifo")
    job.wait_until_silent()

    (worker,) = children(job.trainers()[RANK])

    assert "read_shard" in functions(worker)
    assert Path(f"/proc/{worker}/comm").read_text().strip() == "pt_data_worker"


@pytest.mark.integration
def test_a_killed_rank_is_waited_for(launch: Callable[..., Job]) -> None:
    job = launch("killed")
    job.wait_until_silent()
    trainers = job.trainers()

    assert sorted(trainers) == [rank for rank in range(8) if rank != RANK]
    assert {functions(pid)[0] for pid in trainers.values()} == {"_receive"}
    assert f"rank {RANK} " in job.output.read_text()


@pytest.mark.integration
def test_a_slow_job_goes_on(launch: Callable[..., Job]) -> None:
    job = launch("slow")
    job.wait(lambda: "fault" in job.output.read_text())
    before = last_step(job.log)

    job.wait(lambda: last_step(job.log) > before + 6)


@pytest.mark.integration
def test_a_job_out_of_memory_ends_and_its_log_names_the_rank(launch: Callable[..., Job]) -> None:
    job = launch("oom")

    assert job.process.wait() == 1
    answer = first_error_of_texts({"log": job.log.read_text()})
    assert answer.first_error
    assert answer.first_error.rank == RANK
    assert "CUDA out of memory" in answer.first_error.text


@pytest.mark.integration
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("fault", ["none", "sigstop"])
def test_nothing_outlives_the_launcher(
    launch: Callable[..., Job], number: signal.Signals, fault: str
) -> None:
    job = launch(fault)
    job.wait(lambda: last_step(job.log) >= 3)
    trainers = list(job.trainers().values())
    family = [*trainers, *(child for pid in trainers for child in children(pid))]
    assert len(family) == 16

    os.kill(job.process.pid, number)
    job.process.wait()

    while any(Path(f"/proc/{pid}").exists() and state_of(pid) != "Z" for pid in family):
        time.sleep(0.02)
