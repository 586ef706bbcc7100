from collections.abc import Iterable

import pytest

from rankscope.logs.series import TAKE_OVER_AFTER, Sample, Series


def megatron(step: int, ms: float = 100.0, who: str = "") -> str:
    return f"{who} iteration {step}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5"


def bar(step: int, elapsed: int, total: int = 900, label: str = "") -> str:
    return f"{label}  1%|▏ | {step}/{total} [{elapsed // 60:02d}:{elapsed % 60:02d}<1:00, 2.0s/it]"


def record(step: int, elapsed: str) -> str:
    return f'{{"current_steps": {step}, "total_steps": 900, "elapsed_time": "{elapsed}"}}'


def taken(series: Series, lines: Iterable[str]) -> list[Sample]:
    return list(filter(None, map(series.read, lines)))


def read(lines: Iterable[str]) -> list[Sample]:
    series = Series()
    return taken(series, lines)


def times(lines: Iterable[str]) -> list[tuple[int, int, float]]:
    return [(one.first, one.last, round(one.ms, 3)) for one in read(lines)]


def test_a_line_stands_for_the_steps_since_the_one_before() -> None:
    assert times(megatron(step) for step in (10, 20, 30)) == [
        (10, 10, 100), (11, 20, 100), (21, 30, 100),
    ]  # fmt: skip


def test_lost_lines_do_not_lengthen_the_interval() -> None:
    assert times(megatron(step) for step in (10, 20, 110))[-1] == (101, 110, 100)


def test_differences_of_elapsed_time_are_the_step_time() -> None:
    lines = [record(10, "0:02:55"), record(20, "0:05:43"), record(20, "0:05:43")]

    samples = read(lines)

    assert [(one.first, one.last, one.ms) for one in samples] == [(1, 10, 17500), (11, 20, 16800)]
    assert [one.average for one in samples] == [True, False]


def test_a_resumed_run_whose_clock_begins_anew() -> None:
    lines = [record(10, "0:01:40"), record(20, "0:03:20"), record(30, "0:00:50")]
    lines.append(record(40, "0:02:30"))

    samples = read(lines)

    assert [(one.first, one.last, one.ms) for one in samples[1:]] == [
        (11, 20, 10000), (31, 40, 10000),
    ]  # fmt: skip
    assert samples[-1].fresh


def test_bars_within_the_same_second_are_told_together() -> None:
    lines = [bar(step, elapsed) for step, elapsed in ((0, 0), (1, 0), (2, 1), (3, 1), (4, 2))]

    assert times(lines) == [(1, 2, 500), (3, 4, 500)]


def test_the_bar_of_an_evaluation_is_no_training() -> None:
    lines = [bar(0, 0), bar(1, 2), bar(1, 4, total=7), bar(7, 9, total=7), bar(2, 14), bar(3, 16)]

    samples = read(lines)

    assert [(one.last, one.ms, one.marks) for one in samples] == [
        (1, 2000, ()), (2, 12000, ("evaluation",)), (3, 2000, ()),
    ]  # fmt: skip


def test_the_announced_total_tells_the_training_bar() -> None:
    lines = ["  Total optimization steps = 90", bar(5, 9, total=2000)]
    lines += [bar(0, 0, total=90), bar(1, 3, total=90)]

    assert times(lines[:1] + lines[2:]) == [(1, 1, 3000)]


@pytest.mark.parametrize("copies", [2, 8])
def test_a_step_that_many_workers_print_counts_once(copies: int) -> None:
    named = [megatron(s, 100 + w, f"[rank{w}]:") for s in range(1, 9) for w in range(copies)]
    nameless = [megatron(step) for step in range(1, 9) for _ in range(copies)]

    assert [last for _, last, _ in times(named)] == list(range(1, 9))
    assert {ms for _, _, ms in times(named)} == {100}
    assert [last for _, last, _ in times(nameless)] == list(range(1, 9))


def test_a_worker_that_lags_is_no_restart() -> None:
    lines = [megatron(step) for step in (1, 2, 1, 3, 2, 4, 5, 3, 6)]
    series = Series()

    lasts = [one.last for one in taken(series, lines)]

    assert lasts == [1, 2, 3, 4, 5, 6]
    assert series.restarts == 0


def test_blocks_of_several_workers_one_after_the_other_are_no_restarts() -> None:
    series = Series()

    samples = [
        one
        for worker in range(3)
        for step in range(1, 11)
        for one in taken(series, [megatron(step, 100, f"[rank{worker}]:")])
    ]

    assert [one.last for one in samples] == list(range(1, 11))
    assert series.restarts == 0


def test_another_worker_takes_over_from_one_that_is_silent() -> None:
    both = [megatron(s, 100, who) for s in (1, 2, 3) for who in ("[rank0]:", "[rank1]:")]
    alone = [megatron(s, 100, "[rank1]:") for s in range(4, 12)]

    assert times(both + alone)[-1][1] == 11


def test_a_replaced_worker_that_begins_further_back_takes_over() -> None:
    before = [megatron(step, 100, "[pod/a/x]") for step in range(1, 501)]
    after = [megatron(step, 100, "[pod/b/x]") for step in range(201, 301)]
    series = Series()

    samples = taken(series, before + after)

    assert samples[-1].last == 300
    assert len(samples) == 500 + 100 - TAKE_OVER_AFTER + 1
    assert series.restarts == 1


def test_steps_that_begin_anew_are_a_restart() -> None:
    series = Series()

    samples = taken(series, map(megatron, (8, 9, 10, 5, 6)))

    assert [(one.last, one.fresh) for one in samples] == [
        (8, True), (9, False), (10, False), (5, True), (6, False),
    ]  # fmt: skip
    assert series.restarts == 1


def test_after_a_start_one_step_back_is_a_restart() -> None:
    series = Series()
    lines = [megatron(9), megatron(10), "***** Running training *****", megatron(10), megatron(11)]

    samples = taken(series, lines)

    assert [(one.last, one.fresh) for one in samples] == [
        (9, True), (10, False), (10, True), (11, False),
    ]  # fmt: skip
    assert series.restarts == 1


def test_what_happened_is_noted_with_the_next_step() -> None:
    lines = [megatron(1), "saving checkpoint at iteration 1 to /out", megatron(2), megatron(3)]

    assert [one.marks for one in read(lines)] == [(), ("checkpoint",), ()]


def test_a_step_without_a_time_is_left_out() -> None:
    assert times([megatron(1), megatron(2, float("nan")), megatron(3)]) == [
        (1, 1, 100),
        (3, 3, 100),
    ]


def test_the_best_source_of_times_counts() -> None:
    series = Series()
    lines = [
        bar(5, 10),
        "{'loss': 1.5, 'global_step/max_steps': '10/900', 'elapsed_time': '20s'}",
        bar(11, 22),
        "{'loss': 1.5, 'global_step/max_steps': '20/900', 'elapsed_time': '50s'}",
        "step 21 took time: 0.001",
    ]

    samples = taken(series, lines)

    assert (samples[-1].first, samples[-1].last, samples[-1].ms) == (11, 20, 3000)
    assert series.format == "ms-swift"


def test_a_log_of_llama_factory_keeps_its_name_when_bars_give_the_times() -> None:
    series = Series()
    head = "[INFO|2026-02-03 04:05:06] llamafactory.train.callbacks:143 >> "
    lines = [bar(0, 0), bar(1, 2), head + "{'loss': 1.5}", bar(2, 4)]

    samples = taken(series, lines)

    assert series.format == "llama-factory"
    assert [one.ms for one in samples] == [2000, 2000]


def test_lines_with_nothing_but_a_time_stamp_are_counted() -> None:
    head = "llamafactory.train.callbacks:143 >> {'loss': 1.5}"
    lines = [f"[INFO|2026-02-03 04:0{minute}:00] {head}" for minute in range(4)]

    assert times(lines) == [(2, 2, 60000), (3, 3, 60000), (4, 4, 60000)]


def test_time_stamps_give_step_times() -> None:
    lines = [f"2026-02-03 04:05:{s:02d},500 step: {s}  loss: 9.0  tps: 4,376" for s in (6, 16, 36)]

    assert times(lines) == [(7, 16, 1000), (17, 36, 1000)]


def platform(worker: int, step: int, second: int) -> str:
    stamp = f"2026-03-01 10:00:{second:02d}.000"
    return f"{stamp} jo-1-worker-{worker} worker-{worker} | " + megatron(step)


def test_workers_one_after_another_in_one_file_tell_of_the_same_steps() -> None:
    lines = [platform(worker, step, step) for worker in range(3) for step in range(1, 51)]
    series = Series()

    read_steps = [one.last for one in taken(series, lines)]

    assert read_steps == list(range(1, 51))
    assert series.restarts == 0


def test_another_worker_that_writes_later_takes_over() -> None:
    lines = [platform(0, step, step) for step in range(1, 6)]
    lines += [platform(1, step, step) for step in range(1, 31)]

    assert [one.last for one in read(lines)][-1] == 30


def test_an_epoch_counted_from_one_begins_with_its_first_step() -> None:
    samples = read(bar(step, 2 * step, label="Epoch 1/3: ") for step in (1, 2, 3))

    assert [(one.first, one.last) for one in samples] == [(1, 1), (2, 2), (3, 3)]


def test_the_time_of_a_later_epochs_bar_is_that_of_its_own_steps() -> None:
    [first, *_] = read(bar(step, 2 * step, label="Epoch 2: ") for step in (3, 4))

    assert (first.first, first.last, first.ms) == (1801, 1803, 2000)


def test_a_bar_that_nobody_knows_gives_way_to_the_trainings() -> None:
    lines = [bar(step, step, 5000, "Deduplication: ") for step in (1, 2, 3)]
    lines += [bar(step, 5 * step, 900, "Training Progress: ") for step in (1, 2, 3)]
    lines += [bar(step, step, 5000, "Deduplication: ") for step in (1, 2, 3)]

    samples = read(lines)

    assert [one.last for one in samples if one.ms == 5000] == [2, 3]
    assert [one.last for one in samples] == [1, 2, 3, 2, 3]
    assert [one.anew for one in samples] == [False, False, False, True, False]


USUAL = {
    "megatron": [
        f" [2026-06-08 03:41:12] iteration {n:8d}/ 900 | consumed samples: {64 * n:9d} | elapsed"
        f" time per iteration (ms): {900 + n % 9}.5 | global batch size:    64 | lm loss: 2.{n} |"
        for n in range(1, 300)
    ],
    "megatron of rank 3": [f"[rank3]:{megatron(n, 100 + n % 5)}" for n in range(1, 300)],
    "bigscience": [
        f"[default7]: iteration {n}/ 900 | elapsed time per iteration (s): 10{n % 9}.25 |"
        for n in range(1, 300)
    ],
    "bars": [bar(n, 2 * n) for n in range(1, 300)],
    "records": [
        record(n, f"{n // 20}:{3 * n // 60 % 60:02d}:{3 * n % 60:02d}") for n in range(300)
    ],
    "losses": [f"{{'loss': {n}.5, 'grad_norm': 0.5, 'epoch': 0.1}}" for n in range(300)],
}


@pytest.mark.parametrize("kind", USUAL)
def test_lines_that_go_on_as_before_are_read_quickly_and_as_thoroughly(kind: str) -> None:
    lines = USUAL[kind]
    quick, thorough = Series(), Series()

    samples = [quick.read(line) for line in lines[:40]]
    count, more = quick.go_on(lines[40:])

    assert count == len(lines) - 40
    assert [*samples, *more] == [thorough.read(line) for line in lines]
    assert quick.step == thorough.step
    assert quick.read(lines[-1]) == thorough.read(lines[-1])


@pytest.mark.parametrize(
    "line",
    [
        "words",
        " [2026-06-08 03:41:12] iteration 300/ 900 | elapsed time per iteration (ms): 7.5 |",
        USUAL["megatron"][3],
        USUAL["megatron"][-1],
        USUAL["megatron"][-1].replace(" 299/", " 301/"),
        USUAL["megatron"][-1].replace(" 299/", " 300/").replace("size:    64", "size:    65"),
        USUAL["megatron"][-1].replace(" 299/", " 300/").replace(" 900 ", " 901 "),
        USUAL["megatron"][-1].replace(" 299/", " 300/") + " number of skipped iterations:   1 |",
        USUAL["megatron"][-1].replace(" 299/", " 300/") + " actual seqlen:  1024 |",
        "[rank3]:" + USUAL["megatron"][-1].replace(" 299/", " 300/"),
    ],
)
def test_a_line_that_does_not_go_on_as_before_is_left(line: str) -> None:
    series = Series()
    taken(series, USUAL["megatron"][:40])

    assert series.go_on([*USUAL["megatron"][40:], line])[0] == 259


def test_the_step_after_a_checkpoint_is_read_thoroughly() -> None:
    series = Series()
    taken(series, [*USUAL["megatron"][:40], "saving checkpoint at iteration 40 to /out"])

    assert series.go_on(USUAL["megatron"][40:]) == (0, [])


def test_bars_beside_better_lines_are_passed_over_unless_something_is_glued_to_them() -> None:
    series = Series()
    taken(series, [bar(1, 2), *USUAL["megatron"][:40]])
    bars = [bar(2, 4), bar(3, 6) + "NCCL INFO Channel 7"]
    glued = bar(4, 8) + USUAL["megatron"][41]

    count, samples = series.go_on([*bars, USUAL["megatron"][40], *bars, glued])

    assert count == 5
    assert [one and one.last for one in samples] == [41]
