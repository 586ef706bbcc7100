import pytest

from rankscope.logs.formats.marks import (
    CHECKPOINT,
    EVALUATION,
    RESTART,
    announced_total,
    mark_of,
)


@pytest.mark.parametrize(
    ("line", "mark"),
    [
        ("saving checkpoint at iteration     100 to /out in torch_dist format", CHECKPOINT),
        ("  successfully saved checkpoint from iteration     100 to /out", CHECKPOINT),
        ("  scheduled an async checkpoint save at iteration     200 to /out", CHECKPOINT),
        ("    save-checkpoint ................: (3413.14, 3413.14)", CHECKPOINT),
        ("[INFO|trainer.py:3993] 2026-02-03 >> Saving model checkpoint to /out", CHECKPOINT),
        ("02/03 04:05:06 - mmengine - INFO - Saving checkpoint at 1 epochs", CHECKPOINT),
        ("[titan] Saving the checkpoint (or staging if async is enabled).", CHECKPOINT),
        (" validation loss at iteration 100 | lm loss value: 2.5E+00 |", EVALUATION),
        ("***** Running Evaluation *****", EVALUATION),
        ("{'eval_loss': 1.21, 'eval_runtime': 92.4}", EVALUATION),
        ("[rank0]:[titan] validate step: 20  loss:  9.7", EVALUATION),
        ("mmengine - INFO - Epoch(val) [1][ 50/500]  time: 0.1", EVALUATION),
        ("***** Running training *****", RESTART),
        ("[before the start of training step] datetime: 2026-02-03 04:05:06", RESTART),
        ("2026-02-03 04:05:06 Command running...", RESTART),
        ("Using checkpoint activations", None),
        ("loss: 3", None),
    ],
)
def test_marks(line: str, mark: str | None) -> None:
    assert mark_of(line) == mark


def test_the_announced_number_of_steps() -> None:
    assert announced_total(">>   Total optimization steps = 3,125") == 3125
    assert announced_total("Total steps = 3,125") is None
