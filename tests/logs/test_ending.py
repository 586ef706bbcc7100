import pytest

from rankscope.logs.ending import Ending, ending_of


@pytest.mark.parametrize(
    "line",
    [
        "{'train_runtime': 912.3, 'train_samples_per_second': 5.1, 'epoch': 3.0}",
        "[after training is done] datetime: 2026-06-08 03:41:43",
        " [exiting program at iteration 500] datetime: 2026-06-08 03:41:43",
        "2026-06-08 03:41:43 | titan | INFO | Training completed",
        "`Trainer.fit` stopped: `max_steps=500` reached.",
        "***** train metrics *****",
    ],
)
def test_a_training_that_is_done_says_so(line: str) -> None:
    assert ending_of(line) is Ending.DONE


@pytest.mark.parametrize(
    "line",
    [
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "[2026-06-08 03:41:43,120] [ERROR] [launch.py:325] [x] exits with return code = 1",
        "srun: error: gpu31: task 3: Exited with exit code 1",
        "slurmstepd: error: *** STEP 123.0 ON gpu31 CANCELLED AT 2026-06-08T03:41:43 ***",
    ],
)
def test_a_launcher_that_gives_up_says_so(line: str) -> None:
    assert ending_of(line) is Ending.FAILED


@pytest.mark.parametrize(
    "line",
    [
        " iteration 5/ 900 | elapsed time per iteration (ms): 5 | lm loss: 5",
        "process exits with return code = 0",
        "training will be completed at step 500; max_steps=500",
        "exit code 1 of the data loader was ignored",
        "ok",
    ],
)
def test_other_lines_say_nothing_of_an_end(line: str) -> None:
    assert ending_of(line) is None
