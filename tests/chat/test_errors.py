"""What /errors answers."""

from rankscope.chat.errors import answer
from rankscope.logs.diagnosis import Piece, diagnose
from rankscope.model.state import Job, JobState
from tests.cards.news import COMMAND, OOM, STEPS, facts, hostile_diagnosis

JOB = Job(id="jo-1", state=JobState.FAILED)


def test_the_first_error_comes_first_and_the_stage_last() -> None:
    found = diagnose(facts("job.failed", command=COMMAND), [Piece("worker-1", OOM, 101)])

    said = answer(JOB, found)

    assert said.en.splitlines()[0] == "First error of jo-1 (failed)"
    assert said.en.splitlines()[1] == "First error worker-1:113"
    assert "CUDA out of memory" in said.en.splitlines()[2]
    assert "rank 5" in said.en.splitlines()[3]
    assert "Stage: Failed after the environment check" in said.en
    assert "tee" in said.en
    assert "阶段：" in said.zh
    assert "首个错误 worker-1:113" in said.zh


def test_without_a_log_it_says_what_is_missing() -> None:
    said = answer(JOB, diagnose(facts("job.failed"), []))

    assert "No log of jo-1 has come" in said.en
    assert "rankscope watch" in said.zh


def test_no_known_error_is_said() -> None:
    said = answer(JOB, diagnose(facts("", "running"), [Piece("w", STEPS, 1)]))

    assert "no error of a known pattern" in said.en


def test_nobody_is_mentioned_whatever_a_log_holds() -> None:
    said = answer(JOB, hostile_diagnosis())

    assert "<at" not in said.zh
    assert "<at" not in said.en
