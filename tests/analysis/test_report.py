"""Kinds of hang and of health: who is named, and who is not."""

from dataclasses import replace

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Capture, Frame, NodeSample, Process, Role, Thread, Trigger
from rankscope.model.report import Report
from rankscope.model.text import Text
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice

WAITS = At(b.ALL_REDUCE)


def named(capture: Capture) -> list[int]:
    return sorted(suspect.rank for suspect in analyse(capture).suspects)


def asleep(frames: tuple[Frame, ...]) -> At:
    return At(frames, wchan="hrtimer_nanosleep")


def read(name: str, line: int) -> At:
    return At((*b.stack(f"Feeder.{name} ~/feed.py:{line}"), *b.LOOP), wchan="wait_woken")


HELPER = replace(b.process(0, At(b.WORKER)), pid=9001, role=Role.DATALOADER, rank=None, state="S")
SPINNER = b.thread("histograms", b.stack("Stats.count ~/stats.py:9"), owns_gil=True, active=True)
PREFETCH = b.thread("prefetch", b.stack("Remote.fetch ~/feed.py:80", "Feeder.fill ~/feed.py:70"))
TP_WAIT = b.collective(
    "all_reduce", "RowParallelLinear.forward $/megatron/core/tensor_parallel/layers.py:40"
)

GUILTY: dict[str, tuple[Capture, list[int], str]] = {
    "a read from storage": (twice(others(4, WAITS, r2=piped(b.READ))), [2], "user"),
    "dataloader, others in DDP backward": (
        twice(others(4, At(b.BACKWARD), r2=At(b.LOADER, wchan="do_sys_poll", helpers=(HELPER,)))),
        [2],
        "data",
    ),
    "an endless loop at one line": (twice(others(4, WAITS, r3=running(b.READ))), [3], "working"),
    "an endless loop over lines": (
        job(
            others(8, WAITS, r3=running((*b.stack("Feeder.parse ~/feed.py:21"), *b.READ[1:]))),
            others(8, WAITS, r3=running((*b.stack("Feeder.parse ~/feed.py:23"), *b.READ[1:]))),
            trigger=Trigger.HANG,
        ),
        [3],
        "working",
    ),
    "a skipped collective": (twice(others(4, WAITS, r1=At(b.BARRIER))), [1], "mismatch"),
    "uneven batches": (
        twice(others(8, At(b.BARRIER), r0=WAITS, r1=WAITS)),
        [0, 1],
        "mismatch",
    ),
    "one stopped, with a stack like all": (
        twice(others(8, WAITS, r5=At(b.ALL_REDUCE, state="T", wchan="do_signal_stop"))),
        [5],
        "stopped",
    ),
    "one stopped, without a stack": (
        twice(others(8, WAITS, r5=At(None, state="T", error="Error: Failed to suspend"))),
        [5],
        "stopped",
    ),
    "a zombie": (twice(others(4, WAITS, r1=At(None, state="Z", role=Role.DEAD))), [1], "dead"),
    "gone between the samples": (
        job(others(4, WAITS), dict.fromkeys((0, 1, 3), WAITS)),
        [2],
        "vanished",
    ),
    "never seen": (job(*[dict.fromkeys(range(7), WAITS)] * 2, world=8), [7], "missing"),
    "no dump, in uninterruptible sleep": (
        twice(others(8, WAITS, r6=At(None, state="D", error="Error: timed out"))),
        [6],
        "no_dump",
    ),
    "a helper thread with the global lock": (
        twice(others(8, WAITS, r2=At(b.ALL_REDUCE, beside=(SPINNER,)))),
        [2],
        "gil",
    ),
    "a blocked prefetch thread": (
        twice(others(8, WAITS, r6=At(b.QUEUE, beside=(PREFETCH,)), r7=At(b.BROADCAST))),
        [6],
        "lock_queue",
    ),
    "its tensor-parallel partner waits elsewhere": (
        twice(others(8, WAITS, r4=piped(b.READ), r5=At(b.BROADCAST))),
        [4],
        "user",
    ),
    "most ranks on dead storage": (
        twice(others(8, piped(b.READ), r5=WAITS, r6=WAITS, r7=WAITS)),
        [0, 1, 2, 3, 4],
        "user",
    ),
    "two causes": (
        twice(others(8, WAITS, r0=read("post", 90), r5=At(b.FORWARD))),
        [0, 5],
        "user",
    ),
    "a pipeline stage that does not send": (
        twice({0: At(b.RECV), 1: At(b.RECV), 2: running(b.FORWARD), 3: At(b.RECV)}),
        [2],
        "working",
    ),
    "a pipeline, the other replica waits": (
        twice(others(8, WAITS, r0=At(b.SEND), r2=At(b.FORWARD), r4=At(b.RECV), r6=At(b.RECV))),
        [2],
        "user",
    ),
    "a stage alone in a barrier": (
        twice({0: At(b.RECV), 1: At(b.RECV), 2: At(b.BARRIER), 3: At(b.SEND)}),
        [2],
        "mismatch",
    ),
    "before the process group": (twice(others(4, At(b.STORE), r3=piped(b.READ))), [3], "user"),
    "a breakpoint": (twice(others(4, WAITS, r3=piped(b.DEBUGGER))), [3], "debugger"),
    "left the loop early": (
        twice(
            others(
                8,
                WAITS,
                r3=At(b.stack("close ~/run.py:50", "<module> ~/run.py:45"), wchan="do_sys_poll"),
                r2=At(b.BROADCAST),
            ),
        ),
        [3],
        "user",
    ),
    "left the loop early, waits in a barrier": (
        twice(
            {r: At(b.BROADCAST) if r % 2 == 0 else WAITS for r in range(8)}
            | {3: At(b.collective("barrier", "close ~/run.py:50", b.ROOT[1:]))}
        ),
        [3],
        "mismatch",
    ),
    "a straggler in backward": (
        twice(others(4, At(b.BACKWARD), r2=running(b.BACKWARD))),
        [2],
        "working",
    ),
    "rank 0 saves for ever": (twice(others(8, At(b.BARRIER), r0=piped(b.SAVE))), [0], "storage"),
    "its tensor-parallel partner waits in a layer that it passed": (
        twice(others(8, WAITS, r5=At(TP_WAIT))),
        [4],
        "absent",
    ),
    "another branch of a sharded model": (
        twice(
            others(
                8,
                At((*b.SYNC[:1], *b.stack("Net.gather ~/model.py:50"), *b.LOOP)),
                r7=At(
                    (
                        *b.SYNC[:1],
                        *b.stack("Net.gather ~/model.py:50", "Tower.forward ~/t.py:3"),
                        *b.LOOP,
                    )
                ),
            )
        ),
        [7],
        "mismatch",
    ),
}

NOBODY: dict[str, tuple[Capture, str]] = {
    "all in one collective": (twice(others(8, WAITS)), "all_in_communication"),
    "all in DDP backward": (twice(others(4, At(b.BACKWARD))), "all_in_communication"),
    "all wait for the device": (job(others(8, At(b.SYNC))), "all_in_communication"),
    "all write to a hung file system": (
        twice(others(4, At(b.SAVE, state="D", wchan="percpu_rwsem_wait"))),
        "all_in_storage",
    ),
    "all compute at one place": (twice(others(4, running(b.FORWARD))), "all_in_program"),
    "all wait at start-up": (twice(others(4, At(b.STORE))), "all_in_start_up"),
    "all stopped": (twice(others(4, At(b.ALL_REDUCE, state="T"))), "all_stopped"),
    "healthy, at full speed": (
        job(
            {0: At(b.BACKWARD), 1: At(b.LOADER), 2: At(b.BACKWARD), 3: running(b.ALL_REDUCE)},
            {0: running(b.READ), 1: At(b.BACKWARD), 2: running(b.FORWARD), 3: At(b.BACKWARD)},
        ),
        "moving",
    ),
    "healthy, nobody waits": (
        job(others(4, running(b.FORWARD)), others(4, running(b.OPTIMIZER))),
        "moving",
    ),
    "rank 0 evaluates": (
        job(
            others(8, At(b.BARRIER), r0=running(b.EVALUATE)),
            others(8, At(b.BARRIER), r0=running(b.EVALUATE_NEXT)),
        ),
        "working",
    ),
    "a checkpoint, then on": (
        job(others(8, At(b.BARRIER), r0=At(b.SAVE)), others(8, WAITS, r0=running(b.FORWARD))),
        "moving",
    ),
    "a healthy pipeline": (
        job(
            {0: At(b.SEND), 1: At(b.RECV), 2: running(b.FORWARD), 3: At(b.RECV)},
            {0: At(b.RECV), 1: running(b.FORWARD), 2: At(b.SEND), 3: At(b.ALL_REDUCE)},
        ),
        "moving",
    ),
    "half here, half there": (
        twice({0: WAITS, 1: WAITS, 2: At(b.BARRIER), 3: At(b.BARRIER)}),
        "mixed_waiting",
    ),
    "no dump of anybody": (twice(others(4, At(None, error="Permission denied"))), "no_stacks"),
    "no process at all": (job({}, world=4), "no_ranks"),
    "an agent of two is silent": (
        job(others(8, WAITS), world=16, extra=[NodeSample("node-1", 0, error="timed out")]),
        "all_in_communication",
    ),
    "one moment of a lively job": (
        job({0: WAITS, 1: running(b.ALL_REDUCE), 2: At(b.OPTIMIZER), 3: At(b.FORWARD)}),
        "unclear",
    ),
}


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


def test_the_rank_that_works_in_both_samples_of_a_slow_job_is_slow() -> None:
    before = others(8, WAITS, r5=At(b.FORWARD, wchan="hrtimer_nanosleep"))
    after = others(8, WAITS, r5=At(b.OPTIMIZER, wchan="hrtimer_nanosleep"))

    assert named(job(before, after, trigger=Trigger.SLOW)) == [5]
    assert named(job(before, after, trigger=Trigger.MANUAL)) == []


def test_a_few_ranks_that_wait_twice_by_chance_accuse_nobody_of_a_job_that_goes_on() -> None:
    before = others(8, asleep(b.FORWARD), r2=WAITS, r3=WAITS, r7=asleep(b.OPTIMIZER))
    after = others(8, asleep(b.OPTIMIZER), r0=asleep(b.FORWARD), r2=WAITS, r3=WAITS)

    report = analyse(job(before, after))

    assert report.suspects == ()
    assert report.verdict.progress == "moving"


def test_a_slow_job_does_not_stand_still_because_two_samples_are_alike() -> None:
    ranks = others(8, WAITS, r5=running(b.READ))

    report = analyse(job(ranks, ranks, trigger=Trigger.SLOW))

    assert [suspect.rank for suspect in report.suspects] == [5]
    assert report.verdict.progress == "unknown"


def test_ranks_at_work_in_a_slow_job_are_not_blocked_for_being_there_twice() -> None:
    ranks = others(8, WAITS, r1=asleep(b.FORWARD), r2=running(b.READ))

    assert named(job(ranks, ranks, trigger=Trigger.SLOW)) == []
