import pytest

from rankscope.logs.first_error.prefix import LONGEST
from rankscope.logs.first_error.trail import may_step, step_of
from tests.logs.first_error.lines import STEP


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (STEP.format(42), "42"),
        ("{'loss': 2.1, 'learning_rate': 1e-05, 'epoch': 0.12}", "0.12"),
        ('{"current_steps": 10, "total_steps": 375, "loss": 1.2, "total_tokens": 843210}', "10"),
        ("step: 20  loss:  9.8  tps: 4,376", "20"),
        ("Epoch(train) [1][  50/3912] loss: 0.3 time: 0.30", "50"),
        ("  5%|5         | 20/3125 [00:45<1:57:12,  2.27s/it]", "20"),
        ('{"current_steps": 5, "loss": 1.2, "eval_loss": null, "learning_rate": 1e-05}', "5"),
        ("Epoch 0: 8%|8| 4/50 [00:09<01:40, reduced_train_loss=9.1, global_step=4.000]", "4"),
        ("step:12 - actor/loss:0.1 - timing_s/step:62.77", "12"),
        (
            " iteration 7/ 9 | consumed tokens: 8 | elapsed time per iteration (ms): 9 | loss: 2",
            "7",
        ),
    ],
)
def test_lines_that_tell_of_a_step(text: str, number: str) -> None:
    assert may_step(text.lower().encode())
    assert step_of(text) == number


@pytest.mark.parametrize(
    "text",
    [
        "saving checkpoint at iteration 500 to /ckpt",
        "validation loss at iteration 500",
        "Total optimization steps = 3,125",
        "Loading checkpoint shards: 100%|#| 4/4 [00:05<00:00, 1.2s/it]",
        "Downloading: 3%|#| 3/100 [00:05<00:00, 1.2s/it]",
        "resuming from step 12",
    ],
)
def test_lines_that_speak_of_other_things(text: str) -> None:
    assert not may_step(text.lower().encode())


@pytest.mark.parametrize(
    "bad", ["'loss': ", "epoch 1 ", "train", "1%|", "1%|#|1/1 [", "train: 1%| |", "step: '", " "]
)
def test_a_hostile_line_tells_of_no_step(bad: str) -> None:
    assert step_of(bad * (LONGEST // len(bad))) in {None, "1"}
