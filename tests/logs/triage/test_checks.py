"""The checks beside the stage: hidden failure, paths, resume, launch, settings, progress."""

from collections.abc import Sequence

import pytest

from rankscope.logs.first_error import Evidence, first_error_of_texts
from rankscope.logs.triage import (
    JobFacts,
    Stage,
    check_debug_settings,
    check_launch,
    check_output_paths,
    check_resume,
    facts_of,
    hidden_failure_risks,
    is_hidden_failure,
    judge_progress,
    triage,
)
from rankscope.model.event import Event, EventJob
from rankscope.model.text import Text

ERROR = "[rank0]: KeyError: 'image'\n"
GOOD_END = "uploading results\nupload finished\n"
NO_ERROR = "iteration 1/ 9 | lm loss: 2.0 |\nKilling subprocess 42\n"
CLUE = "ERROR: something\n"


def english(texts: Sequence[Text]) -> str:
    return " ".join(text.en for text in texts)


@pytest.mark.parametrize(
    ("log", "state", "command", "hidden"),
    [
        (ERROR, "succeeded", "", True),
        (ERROR, "failed", "", False),
        (ERROR, "", "", False),
        (ERROR + GOOD_END, "", "", True),
        (ERROR + "failed (exitcode: 1) local_rank: 0\n" + GOOD_END, "", "", False),
        (ERROR, "", "python train.py | tee log", True),
        (NO_ERROR, "succeeded", "python train.py; echo done", False),
        (CLUE, "succeeded", "", False),
    ],
)
def test_a_hidden_failure(log: str, state: str, command: str, hidden: bool) -> None:
    answer = first_error_of_texts({"w": log})

    assert is_hidden_failure(answer, state, hidden_failure_risks(command)) is hidden


@pytest.mark.parametrize("folder", ["/tmp", "/root", "/workspace"])
def test_output_on_the_disk_of_a_worker(folder: str) -> None:
    (found,) = check_output_paths(f"python train.py --output_dir {folder}/out")

    assert f"{folder}/out" in found.en


def test_output_on_shared_storage() -> None:
    assert check_output_paths("python t.py --output_dir /mnt/share/$RUN_ID --data /tmp/x") == ()
    assert "overwrite" in english(check_output_paths("python t.py --save /mnt/share/out"))
    assert "/tmp/log" in english(check_output_paths(logged=["/tmp/log"]))
    assert "/root" in english(check_output_paths(output_path="/root"))
    assert check_output_paths(output_path="/rooted/x") == ()


def test_a_first_start_needs_no_checkpoint() -> None:
    assert check_resume(Evidence(stepped=True)) == ()


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (Evidence(attempts=2, loaded_checkpoint="/c", loaded_step=7), "from step 7"),
        (Evidence(attempts=2, loaded_checkpoint="/c"), "/c"),
        (Evidence(attempts=2, started_fresh=True), "anew"),
        (Evidence(attempts=2, stepped=True), "no record"),
        (Evidence(attempts=2), "no step yet"),
        (
            Evidence(
                attempts=2, stepped=True, step_before_restart=100, first_step_after_restart=91
            ),
            "10 steps",
        ),
    ],
)
def test_what_a_restart_loaded(evidence: Evidence, words: str) -> None:
    assert words in english(check_resume(evidence))


def env(rank: int, **more: str) -> dict[str, str]:
    return {"RANK": str(rank), "WORLD_SIZE": "4", "MASTER_ADDR": "n0", "MASTER_PORT": "1", **more}


def test_a_launch_without_contradictions() -> None:
    processes = [env(rank, LOCAL_RANK=str(rank % 2), LOCAL_WORLD_SIZE="2") for rank in range(4)]
    command = "torchrun --nnodes 2 --nproc_per_node=2 train.py"

    assert check_launch(processes, command=command, workers=2, gpus_per_worker=2) == ()


@pytest.mark.parametrize(
    ("processes", "words"),
    [
        ([env(0), env(1, WORLD_SIZE="8")], "WORLD_SIZE differs"),
        ([env(0), env(1, MASTER_ADDR="n1")], "MASTER_ADDR differs"),
        ([env(1), env(1)], "twice: 1"),
        ([env(4)], "RANK 4 is not below"),
        ([env(0, LOCAL_RANK="2", LOCAL_WORLD_SIZE="2")], "LOCAL_RANK 2"),
        ([env(0, MASTER_ADDR="localhost", LOCAL_WORLD_SIZE="2")], "localhost"),
    ],
)
def test_variables_that_contradict_each_other(processes: list[dict[str, str]], words: str) -> None:
    assert words in english(check_launch(processes))


def test_the_shape_of_the_job_and_the_launcher() -> None:
    command = "torchrun --nnodes=4 --nproc-per-node 4 train.py"
    found = english(check_launch([env(0)], command=command, workers=2, gpus_per_worker=8))

    assert "nnodes is 4" in found
    assert "nproc_per_node is 4" in found
    assert "WORLD_SIZE 4" in found
    assert check_launch([], command="torchrun --nnodes=1:4 t.py", workers=4) == ()


def test_settings_left_on() -> None:
    found = english(
        check_debug_settings(
            [{"NCCL_DEBUG": "INFO", "NCCL_P2P_DISABLE": "1"}, {"CUDA_LAUNCH_BLOCKING": "1"}]
        )
    )

    for setting in ("NCCL_DEBUG=INFO", "NCCL_P2P_DISABLE=1", "CUDA_LAUNCH_BLOCKING=1"):
        assert setting in found
    assert check_debug_settings([{"NCCL_DEBUG": "WARN", "NCCL_IB_DISABLE": "0"}]) == ()


@pytest.mark.parametrize(
    ("signals", "name"),
    [
        ((True, True, None), "moving"),
        ((True, None, None), "moving"),
        ((True, False, None), "low-use"),
        ((False, True, True), "silent-log"),
        ((False, True, False), "spinning"),
        ((False, False, True), "saving"),
        ((False, False, False), "hang"),
        ((None, True, True), "unknown"),
        ((False, None, True), "unknown"),
    ],
)
def test_three_signals_together(
    signals: tuple[bool | None, bool | None, bool | None], name: str
) -> None:
    found = judge_progress(*signals)

    assert found.name == name
    assert found.verdict.zh
    assert found.next_step.en


def test_the_missing_signals_are_named() -> None:
    found = judge_progress(None, None, True)

    assert "log, metrics" in found.verdict.en
    assert "日志、资源监控" in found.verdict.zh


def test_facts_come_from_an_event() -> None:
    event = Event(
        id="1",
        type="job.preempted",
        state="queued",
        attempt=2,
        job=EventJob(id="jo-1", command="python t.py; echo ok", output_path="/tmp/x"),
        labels={"spot": "true", "workers": "4", "gpus_per_worker": "8"},
    )
    facts = facts_of(event)
    found = triage(facts, None)

    assert (facts.workers, facts.gpus_per_worker, facts.spot, facts.attempt) == (4, 8, True, 2)
    assert found.stage is Stage.QUEUED
    words = english(found.findings)
    assert "Spot" in words
    assert "/tmp/x" in words
    assert "echo" in words


def test_a_card_says_when_a_success_is_none() -> None:
    answer = first_error_of_texts({"w": ERROR})
    found = triage(JobFacts(state="succeeded"), answer)

    assert found.stage is Stage.NO_OUTPUT
    assert "looks successful" in english(found.findings)
