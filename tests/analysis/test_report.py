"""Kinds of hang and of health: who is named, and who is not."""

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Capture, Frame, Process, Role, Thread
from rankscope.model.report import Report
from rankscope.model.text import Text
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice
from tests.analysis.scenarios import (
    GUILTY,
    HELPER,
    NOBODY,
    PREFETCH,
    WAITS,
)
from tests.changing import replace


def named(capture: Capture) -> list[int]:
    return sorted(suspect.rank for suspect in analyse(capture).suspects)


@pytest.mark.parametrize("kind", GUILTY)
def test_names_exactly_those_the_others_wait_for(kind: str) -> None:
    capture, ranks, pattern = GUILTY[kind]
    report = analyse(capture)

    assert sorted(s.rank for s in report.suspects) == ranks
    assert report.verdict.pattern == pattern
    assert all(suspect.reasons for suspect in report.suspects)


@pytest.mark.parametrize("kind", NOBODY)
def test_names_nobody(kind: str) -> None:
    capture, pattern = NOBODY[kind]
    report = analyse(capture)

    assert report.suspects == ()
    assert report.verdict.pattern == pattern


def test_a_retry_loop_that_changes_lines_is_still_one_place() -> None:
    places = [
        At((*b.stack(f"Feeder.connect ~/feed.py:{line}", "Feeder.next ~/feed.py:30"), *b.LOOP),
           wchan="hrtimer_nanosleep")
        for line in (20, 24)
    ]  # fmt: skip

    assert named(job(*(others(8, WAITS, r4=place) for place in places))) == [4]


def test_one_sample_names_a_blocked_rank_with_less_confidence() -> None:
    ranks = others(8, WAITS, r2=piped(b.READ))

    once, both = analyse(job(ranks)), analyse(twice(ranks))

    assert [s.rank for s in once.suspects] == [s.rank for s in both.suspects] == [2]
    assert (once.verdict.confidence, both.verdict.confidence) == ("medium", "high")
    assert once.verdict.progress == "unknown"
    assert both.verdict.progress == "frozen"


def test_cpu_time_tells_a_working_rank_that_was_caught_asleep() -> None:
    def at(ticks: int) -> At:
        return replace(At(b.BACKWARD), ticks=ticks)

    before = {rank: at(100) for rank in range(4)}
    after = {rank: at(100) for rank in range(3)} | {3: at(580)}

    assert named(job(before, after)) == [3]


def test_a_collective_inside_a_pipeline_exchange_is_odd() -> None:
    path = "megatron/core/pipeline_parallel/p2p_communication.py"
    exchange = b.stack(f"_communicate /w/{path}:399")
    sync = b.stack("synchronize $/torch/cuda/__init__.py:892")
    odd = b.collective("barrier", f"_communicate /w/{path}:378")
    ranks = others(8, At((*sync, *exchange, *b.LOOP)), r3=running(b.FORWARD), r4=At(odd))

    assert named(job(ranks)) == [4]


def test_forked_workers_and_idle_compile_workers_accuse_nobody() -> None:
    compiler = replace(
        b.process(0, At(b.stack(
            "_recv_msg $/torch/_inductor/compile_worker/subproc_pool.py:76",
            "main $/torch/_inductor/compile_worker/__main__.py:74",
        ))), pid=9002, role=Role.TRAINER, rank=1,
    )  # fmt: skip
    worker = replace(HELPER, role=Role.TRAINER, rank=2)
    ranks = others(4, WAITS, r1=At(b.ALL_REDUCE, helpers=(compiler,)),
                   r2=At(b.ALL_REDUCE, helpers=(worker,)))  # fmt: skip

    report = analyse(twice(ranks))

    assert report.suspects == ()
    assert report.summary.ranks_seen == 4


def test_only_helpers_prove_nothing() -> None:
    idle = At(
        b.stack(
            "get %/multiprocessing/queues.py:102",
            "main $/torch/_inductor/compile_worker/__main__.py:41",
        ),
        role=Role.COMPILE,
    )
    report = analyse(job(others(2, idle)))

    assert report.suspects == ()
    assert report.verdict.pattern == "idle_helpers"
    assert report.summary.ranks_seen == 2
    assert any("P5" in step.en for step in report.next_steps)


def test_the_main_thread_is_the_one_with_the_process_id_not_the_one_with_the_name() -> None:
    impostor = b.thread("MainThread", b.stack("Server.loop ~/serve.py:5"))
    renamed = At(b.READ, wchan="anon_pipe_read", beside=(impostor,))

    report = analyse(twice(others(4, WAITS, r1=renamed)))

    assert [s.rank for s in report.suspects] == [1]
    assert "Feeder.read" in report.suspects[0].where


def test_the_training_thread_counts_when_the_main_thread_only_joins_it() -> None:
    joins = (*b.stack("Thread.join %/threading.py:1119", "main ~/run.py:31"), b.ROOT[-1])
    trains = b.thread("trainer", b.ALL_REDUCE[:-2])
    stuck = b.thread("trainer", b.READ[:-2])
    ranks = others(4, At(joins, beside=(trains,)), r2=At(joins, beside=(stuck,)))

    report = analyse(twice(ranks))

    assert [s.rank for s in report.suspects] == [2]


def test_a_python_backward_on_an_autograd_thread_computes() -> None:
    frames = b.stack("backward ~/kernels.py:9", "apply $/torch/autograd/function.py:306")
    busy = Thread(None, frames, os_thread_id=78)
    ranks = others(4, At(b.BACKWARD), r1=At(b.BACKWARD, beside=(busy,)))

    assert named(twice(ranks)) == [1]


def test_python_versions_and_image_paths_make_no_difference() -> None:
    def old(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
        return tuple(
            replace(
                f,
                name=f.name.rpartition(".")[2],
                filename=f.filename.replace(
                    "/opt/venv/lib/python3.11", "/usr/lib/python3.9"
                ).replace("/mnt/project", "/proc/71/root/mnt/project"),
            )
            for f in frames
        )

    ranks = others(8, WAITS) | {r: At(old(b.ALL_REDUCE)) for r in range(4)}
    report = analyse(twice(ranks))

    assert report.suspects == ()
    assert [group.ranks for group in report.groups] == ["0-7"]


def test_reasons_name_the_thread_the_workers_and_those_who_wait() -> None:
    blocked = At(b.QUEUE, beside=(PREFETCH,), helpers=(HELPER,))
    suspect = analyse(twice(others(8, WAITS, r6=blocked))).suspects[0]
    text = " ".join(reason.en for reason in suspect.reasons)

    assert suspect.thread == "prefetch"
    assert "its data worker is blocked in Feeder.read (atlas/feed.py:21)" in text
    assert "Its main thread is" in text
    assert "0-5,7 (7)" in text


def test_every_sentence_is_in_both_languages() -> None:
    captures = [capture for capture, _, _ in GUILTY.values()]
    captures += [capture for capture, _ in NOBODY.values()]
    for report in map(analyse, captures):
        for text in sentences(report):
            assert text.zh
            assert text.en
            assert "Text(" not in text.zh + text.en
            assert text.zh != text.en


def sentences(report: Report) -> list[Text]:
    reasons = [reason for suspect in report.suspects for reason in suspect.reasons]
    return [report.verdict.text, *report.cautions, *report.next_steps, *reasons]


def test_a_stopped_rank_of_a_moving_job_is_left_alone() -> None:
    stopped = At(b.SAVE, state="T")
    before = others(8, WAITS, r7=stopped)
    after = others(8, At(b.BACKWARD), r7=stopped)

    assert named(job(before, after)) == []


def test_a_helper_process_without_label_is_a_trainer_when_it_runs_the_program() -> None:
    ranks = others(4, WAITS, r3=replace(piped(b.READ), role=Role.HELPER))

    assert named(twice(ranks)) == [3]


def test_of_two_trainers_with_one_rank_the_living_one_counts() -> None:
    old: Process = replace(b.process(1, At(None, state="Z", role=Role.DEAD)), pid=900)

    assert named(twice(others(4, WAITS, r1=At(b.ALL_REDUCE, helpers=(old,))))) == []
