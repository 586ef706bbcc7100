from rankscope.logs.slow_report import KEPT, SlowReport

WARNING = (
    "2025-04-21 15:25:56 Smoothed mean (iters 83-87: 9465.00 ms, baseline: 3101.00 ms), "
    "threshold ratio:2.05. Warning"
)


def report(*lines: str) -> SlowReport:
    made = SlowReport()
    for line in lines:
        made.line(line)
    return made


def steps(first: int, last: int, ms: float, stamp: str = "") -> list[str]:
    return [
        f" {stamp}iteration {step}/ 900 | elapsed time per iteration (ms): {ms} | lm loss: 5"
        for step in range(first, last + 1)
    ]


def test_the_platforms_line_is_passed_on_as_it_is() -> None:
    made = report(
        "2025-04-21 15:19:58 Command running...",
        f"[worker-0] {WARNING.replace('2.05', '2.06')} ",
    )

    [alert] = made.alerts
    assert made.format == "platform"
    assert (alert.rule, alert.ratio, alert.level) == ("platform", 2.06, "warning")
    assert alert.line == WARNING.replace("2.05", "2.06")


def test_the_platforms_rule_gives_the_platforms_line() -> None:
    stamp = "[2025-04-21 15:25:56] "
    made = report(*steps(1, 82, 3101), *steps(83, 87, 9465, stamp))

    line = next(one.line for one in made.alerts if one.rule == "seed")
    assert line == WARNING


def test_without_time_stamps_the_line_has_none() -> None:
    made = report(*steps(1, 82, 3101), *steps(83, 87, 9465))

    assert [one.line for one in made.alerts if one.rule == "seed"] == [WARNING[20:]]


def test_80_percent_fires_and_79_does_not() -> None:
    just = report(*steps(1, 82, 3101), *steps(83, 87, 5581.8))
    below = report(*steps(1, 82, 3101), *steps(83, 87, 5550.79))

    assert [one.ratio for one in just.alerts if one.rule == "seed"] != []
    assert [one.ratio for one in below.alerts if one.rule == "seed"] == []


def test_a_window_that_the_log_explains_is_for_information() -> None:
    saved = ["saving checkpoint at iteration 85 to /out"]
    made = report(*steps(1, 85, 1000), *saved, *steps(86, 86, 41000), *steps(87, 200, 1000))

    [alert] = made.alerts
    assert (alert.rule, alert.level, alert.during) == ("seed", "info", ("checkpoint",))


def test_both_rules_see_a_slow_down_and_its_end() -> None:
    made = report(*steps(1, 100, 1000), *steps(101, 150, 3000), *steps(151, 200, 1000))

    assert {one.rule for one in made.alerts} == {"seed", "robust"}
    assert {one.rule for one in made.recovered} == {"seed", "robust"}
    assert {one.level for one in made.alerts if one.rule == "robust"} == {"suspected"}


def test_memory_does_not_grow_with_the_log() -> None:
    made = report(*steps(1, 8 * KEPT, 1000))

    assert made.counts["steps"] == 8 * KEPT
    assert len(made.samples) == len(made.windows) == KEPT


def test_megatrons_detector_names_a_rank() -> None:
    made = report("| MnRtt/Rnk: 500.25ms/5 | MxRtt/Rnk: 900.50ms/17 |")

    assert made.format == "megatron-straggler-detector"
    assert made.stragglers[0].rank == 17


def test_a_log_without_steps_has_no_format() -> None:
    assert report("hello", "", "\x00\xff").format == ""
    assert report("hello").usual_ms is None


def test_what_was_no_training_is_no_baseline() -> None:
    def bars(label: str, total: int, seconds: int) -> list[str]:
        ends = ((n, n * seconds // 60, n * seconds % 60) for n in range(1, 31))
        return [f"{label}: 1%|▏ | {n}/{total} [{m:02d}:{s:02d}<1:00, 2s/it]" for n, m, s in ends]

    made = report(*bars("Deduplication", 5000, 1), *bars("Training", 900, 9))

    assert made.usual_ms == 9000
    assert (made.counts["steps"], made.counts["alerts"]) == (29, 0)
    assert not made.alerts
