"""Lines as no training writes them; the time limits only keep the tests from never ending."""

import json

import pytest

from rankscope.commands.slow import lines_of
from rankscope.logs.first_error import default_rules, scan_blocks
from rankscope.logs.picking import KEPT, Picker
from rankscope.logs.progress import Progress
from rankscope.logs.slow_report import SlowReport

LONG, BLOCK = 1 << 20, 1 << 18
UNITS = [
    "a", "7", " ", "[", "|", "Traceback (most recent call last):", "%|", "5%|x| 1/2 [", "step 1 ",
    "{'loss': ", "\x1b[", "iteration 1/ 2 |", "1:", "error: ", "worker-0 | ", "'", '{"', "time: 1 ",
]  # fmt: skip
HEADS = ["", "step: 1 loss: ", "iteration 1/ 2 | "]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("head", HEADS)
def test_a_line_of_a_megabyte_is_read_by_all(head: str, unit: str) -> None:
    line = (head + unit * (LONG // len(unit)) + "\n").encode()

    report, progress = SlowReport(), Progress()
    for text in lines_of(line[at : at + BLOCK] for at in range(0, len(line), BLOCK)):
        assert len(text) <= KEPT
        report.line(text)
    for text in Picker().pick(line):
        progress.line(text, 1.0)
    scan = scan_blocks("a.log", [line], default_rules())

    assert report.counts["lines"] == 1
    assert scan.lines == 1


NINES = "9" * 400


@pytest.mark.parametrize(
    "line",
    [
        " iteration {0}/ 900 | elapsed time per iteration (ms): 5.0 |",
        " iteration 5/ {0} | elapsed time per iteration (ms): {0} | global batch size: {0} |",
        '{{"current_steps": {0}, "total_steps": {0}, "elapsed_time": "0:01:00"}}',
        '{{"current_steps": {1}, "total_steps": 9, "elapsed_time": "{0} days, {0}:{0}:05"}}',
        "  1%|x | {0}/{0} [{0}:05<1:00, 2.0s/it]",
        "Epoch {0}:  1%|x | 5/900 [00:0{1}<1:00, {0}s/it]",
        "step {0} time: {0} s",
        "step {1} step_time: {0}s",
        "step: {0}  loss:  9.0  tps: 4",
        "step:{1} - timing_s/step:{0} - perf/total_num_tokens:{0}",
        "Epoch: [{0}][ 10/{0}] time: 1.0",
        "Epoch(train) [{0}][ 5/{0}] time: 1.5",
        "global_step: {0}, interval_runtime: 12.31, interval_steps_per_second: {0}",
        "{{'loss': 1.5, 'global_step/max_steps': '{0}/9', 'elapsed_time': '{0}d 3s'}}",
        "MnRtt/Rnk: {0}ms/5 | MxRtt/Rnk: 1.2.3ms/{0} |",
        "Smoothed mean (iters {0}-{0}: {0}.00 ms, baseline: 1.00 ms), threshold ratio:{0}. Warning",
        "Total optimization steps = {0}",
        "2026-13-45 99:99:99 step {1} loss",
    ],
)
def test_numbers_beyond_all_measure_do_no_harm(line: str) -> None:
    report, progress = SlowReport(), Progress()
    usual = " iteration {}/ 900 | elapsed time per iteration (ms): 100.0 |"

    for number in range(1, 9):
        for text in (line.format(NINES[: 400 - number], number), usual.format(number)):
            report.line(text)
            progress.line(text, float(number))

    assert progress.step is not None
    assert progress.step < 10**15
    assert all(json.dumps(one.ms, allow_nan=False) for one in report.samples)
