from collections.abc import Iterable

import pytest

from rankscope.logs.progress import Happening, Kind, Progress


def line(number: int, ms: float = 1000.0) -> str:
    return f" iteration {number}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5"


def follow(
    progress: Progress, numbers: Iterable[int], start: float = 0.0, ms: float = 1000.0
) -> list[Happening]:
    """Let steps end one after the other, one a second from `start` on."""
    found: list[Happening] = []
    for offset, number in enumerate(numbers):
        found += progress.line(line(number, ms), start + offset)
        found += progress.tick(start + offset)
    return found


def kinds(found: Iterable[Happening]) -> list[Kind]:
    return [one.kind for one in found]


def test_the_first_step_says_that_the_job_runs_and_nothing_more_follows() -> None:
    found = follow(Progress(), range(1, 50))

    assert [(one.kind, one.step) for one in found] == [(Kind.RUNNING, 1)]


def test_silence_before_the_first_step_is_no_hang() -> None:
    progress = Progress()

    assert not list(progress.line("Loading data", 0))
    assert not list(progress.tick(10_000))


def test_a_silent_job_hangs_once_and_resumes() -> None:
    progress = Progress(floor_s=5)
    follow(progress, range(1, 11))

    quiet = list(progress.tick(14))
    hang = [*progress.tick(14.5), *progress.tick(100), *progress.line("words", 101)]
    resumed = list(progress.line(line(11), 200))

    assert not quiet
    assert [(one.kind, one.step, one.silent_s) for one in hang] == [(Kind.HANG, 10, 5.5)]
    assert [(one.kind, one.step, one.silent_s) for one in resumed] == [(Kind.RESUMED, 10, 191)]
    assert hang[0].limit_s == resumed[0].limit_s == 5


def plain_id(happening: Happening) -> str:
    """The id without the mark of the run."""
    assert happening.run
    return happening.id_of("jo-1").replace(f"-{happening.run}-", "-")


def test_two_runs_that_hang_at_the_same_step_are_two_hangs() -> None:
    def hang(loss: str) -> str:
        progress = Progress(floor_s=5)
        for number in range(1, 4):
            list(progress.line(f"{line(number)} lm loss: {loss} |", number))
        (found,) = progress.tick(50)
        return found.id_of("jo-1")

    assert hang("9.1") == hang("9.1")
    assert hang("9.1") != hang("9.2")


def test_a_second_hang_is_one_of_its_own() -> None:
    progress = Progress(floor_s=5)
    follow(progress, range(1, 4))
    first = list(progress.tick(50))
    follow(progress, range(4, 9), start=60)
    second = list(progress.tick(100))

    ids = [plain_id(one) for one in [*first, *second]]

    assert ids == ["jo-1-hang-3", "jo-1-hang-8"]


def test_the_same_log_gives_the_same_ids_whenever_it_is_read() -> None:
    text = [line(number, 1000 if number < 30 else 5000) for number in range(1, 60)]

    def read(start: float) -> list[str]:
        progress = Progress(floor_s=5)
        found = [one for row in text for one in progress.line(row, start)]
        return [plain_id(one) for one in [*found, *progress.tick(start + 1000)]]

    assert read(0) == read(77_777) == ["jo-1-running-1", "jo-1-slow-32", "jo-1-hang-59"]


def test_steps_that_begin_anew_are_a_restart() -> None:
    progress = Progress(floor_s=5)
    follow(progress, range(1, 11))
    list(progress.tick(50))

    found = list(progress.line(line(6), 60))
    again = [*progress.line(line(7), 61), *progress.tick(90)]

    assert [plain_id(one) for one in found] == ["jo-1-resumed-r1-10", "jo-1-running-r1-6"]
    assert [plain_id(one) for one in again] == ["jo-1-hang-r1-7"]


def test_a_step_that_all_workers_print_counts_once() -> None:
    progress = Progress(floor_s=5)
    follow(progress, [1, 1, 1])

    found = list(progress.tick(5.5))

    assert kinds(found) == [Kind.HANG]


def test_a_slow_job_recovers() -> None:
    progress = Progress()
    follow(progress, range(1, 13))

    slow = follow(progress, range(13, 33), start=20, ms=3000)
    recovered = follow(progress, range(33, 48), start=90)

    assert [(one.kind, one.step) for one in slow] == [(Kind.SLOW, 17)]
    assert slow[0].window is not None
    assert slow[0].window.ratio == 2.0
    assert [(one.kind, one.step) for one in recovered] == [(Kind.SLOW_RECOVERED, 42)]


def test_the_platforms_own_warning_counts_and_is_not_repeated() -> None:
    progress = Progress()
    follow(progress, range(1, 13))
    warning = (
        "2025-04-21 15:25:56 Smoothed mean (iters 8-12: 9465.00 ms, baseline: 3101.00 ms), "
        "threshold ratio:2.05. Warning"
    )

    found = [*progress.line(warning, 20), *progress.line(warning, 21)]

    assert [plain_id(one) for one in found] == ["jo-1-slow-12"]


def test_once_steps_have_times_lines_without_are_about_others() -> None:
    progress = Progress()
    follow(progress, [1, 2])

    assert not list(progress.line("dataset step 77", 3))
    assert not list(progress.line(line(3), 4))


def test_bars_of_any_trainer_are_followed_and_slow_downs_found() -> None:
    progress = Progress(floor_s=5)
    at = 0
    found: list[Happening] = []
    for step in range(61):
        at += 4 if step < 40 else 12
        text = f"  1%|▏ | {step}/900 [{at // 60:02d}:{at % 60:02d}<1:00, 4.0s/it]"
        found += progress.line(text, at)

    assert kinds(found) == [Kind.RUNNING, Kind.SLOW]


def test_workers_that_print_the_same_steps_are_one_job() -> None:
    progress = Progress(floor_s=5)

    found = [
        one
        for number in range(1, 30)
        for worker in range(4)
        for one in progress.line(f"[rank{worker}]:{line(number)}", number)
    ]

    assert kinds(found) == [Kind.RUNNING]


def test_steps_without_times_can_hang_too() -> None:
    progress = Progress(floor_s=5)
    for number in (1, 2, 3):
        list(progress.line(f"step {number}", number))

    assert kinds(progress.tick(20)) == [Kind.HANG]


def slow_kinds(found: Iterable[Happening]) -> list[tuple[Kind, str, str]]:
    return [(one.kind, one.rule, one.tier) for one in found if one.window]


def test_what_only_the_robust_rule_finds_is_told_as_suspected() -> None:
    progress = Progress()
    follow(progress, range(1, 60))
    found = follow(progress, range(60, 90), 60, 1300.0)
    found += follow(progress, range(90, 120), 90)

    assert slow_kinds(found) == [
        (Kind.SLOW, "robust", "moderate"),
        (Kind.SLOW_RECOVERED, "robust", "moderate"),
    ]
    assert found[0].id_of("jo-1").startswith("jo-1-slow-robust-")
    assert [one.step for one in found[0].steps][-1] == found[0].step


def test_what_both_rules_find_is_over_once() -> None:
    progress = Progress()
    follow(progress, range(1, 60))
    found = follow(progress, range(60, 90), 60, 3000.0)
    found += follow(progress, range(90, 140), 90)

    kinds_found = slow_kinds(found)
    assert [one for one in kinds_found if one[0] is Kind.SLOW_RECOVERED] == kinds_found[-1:]
    assert {rule for kind, rule, _ in kinds_found if kind is Kind.SLOW} <= {"seed", "robust"}
    assert (Kind.SLOW, "seed", "") in kinds_found


def test_the_platforms_line_is_passed_on_as_its_own() -> None:
    text = (
        "2025-04-21 15:25:56 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms),"
        " threshold ratio:2.05. Warning"
    )
    [found] = Progress().line(text, 0)

    assert (found.kind, found.rule) == (Kind.SLOW, "platform")


def of(progress: Progress, log: str, numbers: Iterable[int], now: float) -> list[Happening]:
    return [one for n in numbers for one in progress.line(line(n), now, log)]


def test_logs_that_tell_the_same_steps_are_one_job() -> None:
    progress = Progress(floor_s=5)
    found: list[Happening] = []
    for number in range(1, 30):
        for log in ("a", "b", "c"):
            found += of(progress, log, [number], number)
        progress.looked(at_end=True)

    assert kinds(found) == [Kind.RUNNING]
    assert progress.step == 29
    assert kinds(progress.tick(33.9)) == []
    assert kinds(progress.tick(34.1)) == [Kind.HANG]


def test_a_log_that_goes_on_alone_takes_the_lead_and_keeps_the_job_alive() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 10), 0)
    of(progress, "b", range(1, 10), 0)
    progress.looked(at_end=True)
    found: list[Happening] = []
    for number in range(10, 60):
        found += of(progress, "b", [number], number)
        progress.looked(at_end=True)
        found += progress.tick(number)

    assert found == []
    assert progress.step == 59


def test_a_log_that_ends_a_hang_takes_the_lead_at_once() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 10), 0)
    assert kinds(progress.tick(50)) == [Kind.HANG]

    assert kinds(of(progress, "b", [10], 60)) == [Kind.RESUMED]


def test_a_log_of_the_next_run_begins_the_job_anew() -> None:
    progress = Progress(floor_s=5)
    of(progress, "first", range(1, 40), 0)
    progress.looked(at_end=True)
    of(progress, "second", range(20, 24), 10)
    progress.looked(at_end=True)

    (running,) = of(progress, "second", [24], 11)

    assert (running.kind, running.step, running.restarts) == (Kind.RUNNING, 24, 1)


def test_logs_are_not_compared_while_one_is_still_being_read() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 40), 0)
    progress.looked(at_end=False)
    of(progress, "b", range(1, 10), 0)
    progress.looked(at_end=False)

    assert of(progress, "b", [10], 0) == []
    assert progress.step == 39


def test_a_log_with_times_leads_before_one_that_only_names_steps() -> None:
    progress = Progress(floor_s=5)
    list(progress.line("step 7/900 loss=3.2", 0, "bare"))

    assert of(progress, "timed", [6, 7, 8], 1) == []
    assert progress.step == 8


def test_a_job_that_says_it_is_done_does_not_hang() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 10), 0)

    (ended,) = progress.line("[after training is done] datetime: x", 1, "a")

    assert (ended.kind, ended.step) == (Kind.ENDED, 9)
    assert list(progress.tick(500)) == []
    assert list(progress.line("[after training is done] datetime: x", 1, "b")) == []


def test_steps_after_the_end_are_a_new_start() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 10), 0)
    list(
        progress.line("torch.distributed.elastic.multiprocessing.errors.ChildFailedError:", 1, "a")
    )

    (running,) = of(progress, "a", [12], 2)

    assert (running.kind, running.restarts) == (Kind.RUNNING, 1)
    assert kinds(progress.tick(500)) == [Kind.HANG]


@pytest.mark.parametrize(
    ("last", "failed", "kind"),
    [(900, True, Kind.ENDED), (900, False, Kind.ENDED), (9, True, Kind.FAILED),
     (9, False, Kind.STOPPED)],
)  # fmt: skip
def test_processes_that_are_gone_tell_how_it_ended(last: int, failed: bool, kind: Kind) -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, last + 1), 0)

    assert kinds(progress.gone(5, failed=failed)) == [kind]
    assert kinds(progress.tick(500)) == []


def test_signs_of_life_put_a_hang_off() -> None:
    progress = Progress(floor_s=5)
    of(progress, "a", range(1, 10), 0)
    assert progress.is_suspect(20)

    progress.alive(18)

    assert not progress.is_suspect(20)
    (silent,) = progress.only_silent(20)
    assert (silent.kind, silent.silent_s) == (Kind.LOG_SILENT, 20)
    assert list(progress.only_silent(21)) == []
    assert kinds(progress.tick(23.5)) == [Kind.HANG]
