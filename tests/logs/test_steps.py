import pytest

from rankscope.logs.steps import Step, parse_step

MEGATRON = (
    " iteration       10/  500000 | consumed samples:          640 | elapsed time per iteration"
    " (ms): 2152.2 | learning rate: 1.500E-04 | lm loss: 9.1E+00 |"
)


@pytest.mark.parametrize(
    ("line", "step"),
    [
        (MEGATRON, Step(10, 500000, 2152.2)),
        (f" [2026-06-08 03:41:43.123456]{MEGATRON}", Step(10, 500000, 2152.2)),
        (f"[default7]: {MEGATRON}", Step(10, 500000, 2152.2)),
        (f"\x1b[32m{MEGATRON}\x1b[0m", Step(10, 500000, 2152.2)),
        (
            " iteration      100/  500000 | elapsed time per iteration (ms): 512.3 | lm loss: 6",
            Step(100, 500000, 512.3),
        ),
        (
            " iteration 7/ 9 | tokens: 3 | elapsed time per iteration (s): 105.22 | x",
            Step(7, 9, 105220.0),
        ),
        (
            " iteration 7/ 9 | a: 1 | elapsed time per iteration (ms): 0.0 |",
            Step(7, 9),
        ),
        (
            " iteration 7/ 9 | a: 1 | elapsed time per iteration (ms): 1.2.3 |",
            Step(7, 9),
        ),
        ("step 12", Step(12)),
        ("Step: 12/100 loss: 0.5", Step(12, 100)),
        ("[rank0] global_step=12, loss=0.5", Step(12)),
        ("steps: 10 loss: 7.1234 iter time (s): 1.234", Step(10, ms=1234.0)),
        ('{"current_steps": 10, "total_steps": 375, "loss": 1.2}', Step(10)),
        ("step:12 - timing_s/step:62.77", Step(12, ms=62770.0)),
        ("Training epoch 0, iteration 4/49 | lr: 2.999e-05 | x", Step(4, 49)),
    ],
)
def test_a_step_line_gives_its_step(line: str, step: Step) -> None:
    assert parse_step(line) == step


@pytest.mark.parametrize(
    "line",
    [
        "",
        "loading step by step",
        "saving checkpoint at iteration 20 to /data",
        "  successfully saved checkpoint from iteration 20 to /data",
        " validation loss at iteration 20 | lm loss value: 5.0",
        "validate step: 20 loss: 8.0",
        "Total optimization steps = 3,125",
        "resuming from step 300",
        "micro_step=8",
        "NCCL WARN something failed",
        "stepping 12 stones",
        "learning rate per step 1e-5",
    ],
)
def test_other_lines_give_none(line: str) -> None:
    assert parse_step(line) is None
