import pytest

from rankscope.logs.first_error import Answer, first_error_of_texts
from rankscope.logs.triage import JobFacts, Stage
from rankscope.logs.triage.decide import lines
from rankscope.logs.triage.stage import stage_of
from rankscope.text import LOCALES, say

STEPS = "".join(f" iteration {n}/ 99 | lm loss: 2.0 |\n" for n in range(1, 6))
CHECKED = "Bootcheck item gpu ok\nBootcheck Finished\nCommand running...\n"


def read(text: str) -> Answer:
    return first_error_of_texts({"w": text})


@pytest.mark.parametrize(
    ("facts", "stage"),
    [
        (JobFacts(event="job.submit_failed"), Stage.SUBMIT),
        (JobFacts(state="queued"), Stage.QUEUED),
        (JobFacts(event="job.queued", state="Pending"), Stage.QUEUED),
        (JobFacts(state="deploying"), Stage.DEPLOYING),
        (JobFacts(state="deploying", detail="资源分配"), Stage.DEPLOYING_RESOURCE),
        (JobFacts(state="deploying", message="ErrImagePull"), Stage.DEPLOYING_IMAGE),
        (JobFacts(state="deploying", detail="存储挂载"), Stage.DEPLOYING_STORAGE),
        (JobFacts(state="deploying", detail="环境初始化"), Stage.DEPLOYING_INIT),
        (JobFacts(event="job.env_check_failed"), Stage.ENV_CHECK),
        (JobFacts(event="job.restarting"), Stage.RESTARTED),
        (JobFacts(event="job.hang", state="running"), Stage.NO_PROGRESS),
        (JobFacts(event="job.slow"), Stage.NO_PROGRESS),
        (JobFacts(state="succeeded"), Stage.NO_OUTPUT),
        (JobFacts(), Stage.UNKNOWN),
    ],
)
def test_what_the_platform_says(facts: JobFacts, stage: Stage) -> None:
    assert stage_of(facts, None) is stage


@pytest.mark.parametrize(
    ("log", "stage"),
    [
        ("Bootcheck item gpu failed: GPU is lost\n", Stage.ENV_CHECK),
        ("Warning FailedMount MountVolume.SetUp failed for volume\n", Stage.DEPLOYING_STORAGE),
        ("Failed to pull image x: manifest unknown\n", Stage.DEPLOYING_IMAGE),
        ("Warning FailedScheduling 0/9 nodes are available\n", Stage.QUEUED),
        (CHECKED + "bash: torchrun: command not found\n", Stage.START),
        (CHECKED + "ModuleNotFoundError: No module named 'x'\n", Stage.START),
        (CHECKED + "***** Running training *****\nKeyError: 'image'\n", Stage.FIRST_BATCH),
        (CHECKED + "FileNotFoundError: [Errno 2] x: '/mnt/a'\n", Stage.FIRST_BATCH),
        (CHECKED + STEPS + "KeyError: 'image'\n", Stage.AFTER_CHECK),
        (CHECKED + "mylib.BadError: x\n", Stage.AFTER_CHECK),
        (STEPS, Stage.NO_PROGRESS),
        (STEPS + "Training completed.\n", Stage.NO_OUTPUT),
        ("***** Running training *****\n", Stage.FIRST_BATCH),
        (CHECKED, Stage.START),
        ("Bootcheck item gpu ok\n", Stage.ENV_CHECK),
        ("hello\n", Stage.UNKNOWN),
        (CHECKED + STEPS + "Job restarting, attempt 2\n" + CHECKED + STEPS, Stage.RESTARTED),
    ],
)
def test_what_the_log_says(log: str, stage: Stage) -> None:
    assert stage_of(JobFacts(), read(log)) is stage


def test_a_timeout_alone_is_no_progress() -> None:
    log = "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(x) ran for 6 ms\n"

    assert stage_of(JobFacts(), read(CHECKED + STEPS + log)) is Stage.NO_PROGRESS


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_its_words_in_both_languages(stage: Stage) -> None:
    for part in ("title", "first"):
        text = say(f"{stage.message_id}-{part}")
        assert text.zh
        assert text.en
    assert all(one.zh and one.en for one in lines(f"{stage.message_id}-steps"))


@pytest.mark.parametrize("area", ["errors", "triage"])
def test_the_words_never_claim_to_know_the_cause(area: str) -> None:
    texts = [(LOCALES / lang / f"{area}.ftl").read_text(encoding="utf-8") for lang in ("zh", "en")]

    assert not any("root cause is" in text.lower() or "根因是" in text for text in texts)
