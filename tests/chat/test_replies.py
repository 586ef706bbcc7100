from dataclasses import replace
from typing import Any

import pytest

from rankscope.chat import replies
from rankscope.chat.parsing import COMMANDS
from rankscope.model.report import (
    Comparison,
    MissingRank,
    Report,
    Summary,
    Suspect,
    Verdict,
)
from rankscope.model.state import Job, JobState
from rankscope.model.text import Text


def _report(**changes: Any) -> Report:
    summary = Summary("jo-1", "2025-01-01 00:00:00 (UTC)", "1735689600000000000", 8, 8)
    verdict = Verdict("alike", "low", "unknown", Text("所有 rank 一样。", "All ranks are alike."))
    return replace(Report(summary, verdict, (), (), (), (), (), ()), **changes)


def _suspect(rank: int) -> Suspect:
    return Suspect(rank, "node-0", 0.9, (Text("在读管道", "reads a pipe"),))


def test_help_names_every_command_and_what_a_capture_cannot_do() -> None:
    text = replies.help_text()
    for said in (text.zh, text.en):
        assert all(f"/{name} " in said or f"/{name}　" in said for name in COMMANDS)
    assert "不会自动给出根因" in text.zh


def test_a_missing_argument_shows_what_can_be_captured() -> None:
    assert "jo-1, jo-2" in replies.missing_argument("capture", ["jo-1", "jo-2"]).en
    assert "No job is known yet" in replies.missing_argument("capture", []).en


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_usage(name: str) -> None:
    for text in (
        replies.missing_argument(name, []),
        replies.too_many_arguments(name, "x"),
        replies.bad_argument(name, "x"),
    ):
        assert f"/{name}" in text.zh
        assert f"/{name}" in text.en


def test_an_unknown_command_is_quoted_with_a_suggestion() -> None:
    assert "/captrue" in replies.unknown_command("/captrue", "capture").zh
    assert "Did you mean /capture?" in replies.unknown_command("/captrue", "capture").en
    assert "Did you mean" not in replies.unknown_command("xyzzy").en


def test_an_unknown_job_lists_the_known_ones() -> None:
    text = replies.unknown_job("jo-9", ["jo-1", "jo-2"], "jo-1")
    assert "jo-1、jo-2" in text.zh
    assert "nearest is jo-1" in text.en
    assert "agent" in replies.unknown_job("jo-9", []).en


def test_long_lists_are_cut_and_counted() -> None:
    text = replies.unknown_job("x", [f"jo-{number}" for number in range(25)])
    assert "共 25 个" in text.zh
    assert "jo-9" in text.zh
    assert "jo-10" not in text.zh


def test_an_ambiguous_job_lists_the_matches() -> None:
    assert "jo-1a, jo-1b" in replies.ambiguous_job("jo-1", ["jo-1a", "jo-1b"]).en


@pytest.mark.parametrize("state", [state for state in JobState if not state.can_be_captured])
def test_a_job_that_does_not_run_is_refused_with_where_to_look(state: JobState) -> None:
    text = replies.not_running(Job(id="jo-1", state=state))
    assert "jo-1" in text.zh
    assert "事件" in text.zh
    assert "events" in text.en


def test_a_failed_job_points_to_logs_events_and_the_fault_tolerance_log() -> None:
    job = Job(
        id="jo-1",
        state=JobState.FAILED,
        message="CUDA error",
        url="https://jobs.example/jo-1",
        output_path="/out/jo-1",
    )
    text = replies.not_running(job)
    assert "任务日志、事件和容错日志" in text.zh
    for said in (text.zh, text.en):
        assert "CUDA error" in said
        assert "https://jobs.example/jo-1" in said
        assert "/out/jo-1" in said


def test_progress_of_a_capture_that_was_joined() -> None:
    assert "1 of 2 nodes" in replies.capture_joined("jo-1", done=1, asked=2).en
    assert "just started" in replies.capture_joined("jo-1").en


def test_a_finished_capture_names_suspects_with_a_reason_and_their_node() -> None:
    text = replies.capture_finished(_report(suspects=(_suspect(2),)))
    assert "rank 2（node-0）：在读管道" in text.zh
    assert "rank 2 (node-0): reads a pipe" in text.en


def test_only_the_first_suspects_are_named() -> None:
    text = replies.capture_finished(_report(suspects=tuple(_suspect(n) for n in range(5))))
    assert "rank 2 " in text.en
    assert "rank 3 " not in text.en
    assert "2 more" in text.en


def test_a_finished_capture_without_suspects_says_so() -> None:
    text = replies.capture_finished(_report())
    assert "没有可以点名的 rank" in text.zh
    assert "No rank can be named. All ranks are alike." in text.en


def test_missing_ranks_are_counted() -> None:
    text = replies.capture_finished(_report(missing=(MissingRank(3, "node-0", "timeout"),)))
    assert "1" in text.en.splitlines()[-1]


def test_a_comparison_is_announced() -> None:
    comparison = Comparison("jo-1", "1", "2", (), Text("没有变化", "nothing moved"))
    assert "nothing moved" in replies.comparison_finished(comparison).en


@pytest.mark.parametrize(
    "text",
    [
        replies.capture_started("jo-1"),
        replies.no_agent("jo-1"),
        replies.capture_failed("jo-1", "no node answered"),
        replies.comparison_failed("jo-1", "expired"),
    ],
)
def test_every_reply_names_its_job(text: Text) -> None:
    assert "jo-1" in text.zh
    assert "jo-1" in text.en


@pytest.mark.parametrize(
    "hostile", ['<at user_id="all"></at>', "a\nb\r\tc", "x" * 5000, "<b>", "@_all"]
)
def test_foreign_text_cannot_mention_anybody_nor_flood_the_chat(hostile: str) -> None:
    for text in (
        replies.unknown_command(hostile),
        replies.unknown_job(hostile, [hostile], hostile),
        replies.not_running(Job(id="jo-1", state=JobState.FAILED, message=hostile)),
        replies.capture_failed("jo-1", hostile),
    ):
        assert not set("<>@\r\t") & set(text.en)
        assert len(text.en) < 1500


def test_the_content_of_a_text_message_is_in_one_language() -> None:
    assert replies.text_content(Text("好", "good"), "en") == {"text": "good"}
