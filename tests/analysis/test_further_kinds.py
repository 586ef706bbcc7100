"""Kinds that an examiner who did not know the analysis made up; each was once read wrongly."""

import pytest

from rankscope.analysis import analyse
from rankscope.model.capture import Frame, Process, Trigger
from tests.analysis import builders as b
from tests.analysis.builders import At, job, others, piped, running, twice
from tests.analysis.test_handles import LAYER, WAITS, suspects
from tests.changing import replace


def test_what_the_trainers_variables_say_replaces_an_unknown_world_size() -> None:
    ranks = others(8, WAITS)
    del ranks[3]
    capture = job(ranks, ranks, world=8)
    told = tuple(
        replace(sample, processes=tuple(_with_world(one, 8) for one in sample.processes))
        for sample in capture.samples
    )
    unknown = replace(capture.header, world_size=None)

    assert suspects(replace(capture, header=unknown)) == []
    assert suspects(replace(capture, header=unknown, samples=told)) == [3]


def test_of_two_ranks_the_one_seen_accuses_nobody_of_being_missing() -> None:
    assert suspects(job({0: WAITS}, {0: WAITS}, world=2)) == []


def _with_world(process: Process, size: int) -> Process:
    return replace(process, env={"RANK": str(process.rank), "WORLD_SIZE": str(size)})


def test_a_frozen_cgroup_is_a_stop() -> None:
    frozen = At(b.ALL_REDUCE, state="S", wchan="do_freezer_trap")

    assert suspects(twice(others(8, WAITS, r1=frozen))) == [1]


@pytest.mark.parametrize("guilty", [piped(b.READ), At(b.LOADER), At(b.DEBUGGER), LAYER])
def test_of_four_ranks_the_one_that_is_held_up_is_named_at_one_moment(guilty: At) -> None:
    assert suspects(job(others(4, WAITS, r2=guilty))) == [2]


@pytest.mark.parametrize("busy", [running(b.FORWARD), running(b.READ)])
def test_of_four_ranks_one_that_computes_at_one_moment_is_not(busy: At) -> None:
    assert suspects(job(others(4, WAITS, r2=busy))) == []


def test_at_one_moment_ranks_that_compute_are_not_named() -> None:
    assert suspects(job(others(8, WAITS, r2=running(b.FORWARD), r6=running(b.FORWARD)))) == []


@pytest.mark.parametrize("group", [{4, 5}, {0, 1, 2, 3}])
def test_a_whole_tensor_parallel_group_in_its_own_operation_accuses_no_neighbour(
    group: set[int],
) -> None:
    inside = At(b.collective("all_reduce", "RowParallelLinear.forward ~/tensor_parallel/rows.py:9"))
    ranks = others(8, WAITS) | dict.fromkeys(group, inside)

    assert not set(suspects(twice(ranks))) - group


def test_a_module_that_one_rank_alone_gathers_is_told_by_its_line() -> None:
    def gathering(line: int) -> At:
        hook = (
            "synchronize $/torch/cuda/streams.py:104",
            "fetch_sub_module $/deepspeed/runtime/zero/partitioned_param_coordinator.py:310",
            "_pre_forward_module_hook $/deepspeed/runtime/zero/parameter_offload.py:279",
            "_call_impl $/torch/nn/modules/module.py:1606",
        )
        return At((*b.stack(*hook, f"forward ~/model.py:{line}"), *b.LOOP))

    assert suspects(twice(others(8, gathering(50), r5=gathering(80)))) == [5]


def test_three_of_eight_in_another_collective_are_named_with_little_confidence() -> None:
    late = At(b.BARRIER)
    report = analyse(twice(others(8, WAITS, r0=late, r1=late, r2=late)))

    assert [suspect.rank for suspect in report.suspects] == [0, 1, 2]
    assert report.verdict.confidence == "low"


def test_who_sleeps_in_a_section_of_its_own_is_not_stuck() -> None:
    asleep = At(
        (*b.stack("Keeper.save_part ~/keep.py:31", "Runner.end_epoch ~/runner.py:69"), *b.EPOCH),
        wchan="hrtimer_nanosleep",
    )

    assert suspects(twice(others(8, At(b.BARRIER), r0=asleep))) == []
    hang = job(*[others(8, At(b.BARRIER), r0=asleep)] * 2, trigger=Trigger.HANG)
    assert suspects(hang) == [0]


POOL = b.stack(
    "_WorkItem.run %/concurrent/futures/thread.py:58", "_worker %/concurrent/futures/thread.py:93"
)
LOOPS = {
    "asyncio": b.stack(
        "EpollSelector.select %/selectors.py:468",
        "_UnixSelectorEventLoop._run_once %/asyncio/base_events.py:1961",
        "run %/asyncio/runners.py:194",
        "<module> ~/host.py:9",
    ),
    "an actor": b.stack(
        "main_loop $/ray/_private/worker.py:872", "<module> $/ray/workers/default.py:9"
    ),
    "a server": b.stack(
        "Condition.wait %/threading.py:355",
        "_Server.wait_for_termination $/grpc/_server.py:1430",
        "<module> ~/host.py:9",
    ),
}


def in_a_thread(idle: tuple[Frame, ...], at: At) -> At:
    trainer = b.thread("train_0", (*(at.frames or ()), *POOL), active=at.state == "R")
    return At(idle, wchan="ep_poll", beside=(trainer,))


@pytest.mark.parametrize("idle", LOOPS.values(), ids=LOOPS)
def test_the_thread_that_trains_under_an_idle_main_thread_is_read(idle: tuple[Frame, ...]) -> None:
    ranks = others(8, in_a_thread(idle, WAITS), r3=in_a_thread(idle, At(b.READ)))
    before = others(8, in_a_thread(idle, At(b.FORWARD)))

    assert suspects(twice(ranks)) == [3]
    assert analyse(job(before, ranks)).verdict.progress == "moving"


def test_a_place_that_another_rank_came_to_is_one_of_the_steps() -> None:
    reading = piped(b.READ)
    before = others(8, WAITS, r0=reading, r1=running(b.OPTIMIZER))
    after = others(8, WAITS, r0=reading, r1=reading)

    assert suspects(job(before, after)) == []


def test_ranks_that_compute_in_a_layer_wait_for_nobody() -> None:
    busy = At((*b.stack("mix ~/model.py:33"), *(LAYER.frames or ())), state="R", wchan="0")
    other = At((*b.stack("rotate ~/model.py:71"), *(LAYER.frames or ())), state="R", wchan="0")

    assert suspects(twice(others(8, busy, r2=other))) == []


@pytest.mark.parametrize("wchan", ["", "0"])
def test_a_majority_asleep_in_its_own_code_is_named_where_the_collectives_are_known(
    wchan: str,
) -> None:
    asleep = At(b.READ, wchan=wchan)
    ranks = dict.fromkeys(range(5), asleep) | dict.fromkeys(range(5, 8), WAITS)

    assert suspects(twice(ranks)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("wchan", ["futex_do_wait", "ep_poll"])
def test_a_majority_that_may_wait_in_an_unknown_library_is_not(wchan: str) -> None:
    asleep = At(b.READ, wchan=wchan)
    ranks = dict.fromkeys(range(5), asleep) | dict.fromkeys(range(5, 8), WAITS)

    assert suspects(twice(ranks)) == []


def test_a_wait_that_is_called_from_another_line_further_out_is_another_one() -> None:
    def receiving(line: int) -> At:
        return At((*b.RECV[:3], *b.stack(f"Schedule.run ~/stages.py:{line}"), *b.LOOP))

    first = {0: At(b.READ), 1: receiving(61), 2: receiving(61), 3: receiving(65)}
    second = {0: At(b.READ), 1: receiving(65), 2: receiving(65), 3: receiving(65)}
    report = analyse(job(first, second))

    assert report.suspects == ()
    assert report.verdict.progress == "moving"
