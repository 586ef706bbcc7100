"""One short log of each framework, composed by us in its wording."""

from collections.abc import Callable


def _log(line: Callable[[int], str], end: str = "\n") -> str:
    return "".join(line(n) + end for n in range(1, 31))


def _clock(n: int) -> str:
    return f"{n // 60:02d}:{n % 60:02d}"


SAMPLES = {
    "megatron": "[before the start of training step] datetime: 2026-02-03 04:05:06\n"
    + _log(
        lambda n: (
            f" [2026-02-03 04:05:06.000123] iteration {n:8d}/ 900 | consumed samples: 9 |"
            f" elapsed time per iteration (ms): {800 + n}.5 | global batch size: 64 | loss: 2.1 |"
        )
    )
    + "saving checkpoint at iteration 30 to /out in torch_dist format\n"
    " validation loss at iteration 30 | lm loss value: 2.5E+00\n"
    "[after training is done] datetime: 2026-02-03 04:15:06\n",
    "bigscience": _log(
        lambda n: f"[default7]: iteration {n}/ 900 | elapsed time per iteration (s): 105.{n} | x"
    ),
    "trainer": "***** Running training *****\n  Total optimization steps = 3,125\n"
    + _log(lambda n: f"\r 5%|x  | {n}/3125 [{_clock(3 * n)}<1:57:12,  3.00s/it]", end="")
    + "\n{'loss': 1.46, 'grad_norm': 0.5, 'learning_rate': 4e-05, 'epoch': 0.1}\n"
    "{'eval_loss': 1.2, 'epoch': 0.1}\n{'train_runtime': 91.2, 'epoch': 0.1}\n",
    "records": _log(
        lambda n: f'{{"current_steps": {n}, "total_steps": 90, "elapsed_time": "{_clock(9 * n)}"}}'
    ),
    "swift": _log(
        lambda n: (
            f"{{'loss': 1.5, 'global_step/max_steps': '{n}/90', 'elapsed_time': '{2 * n}s',"
            " 'train_speed(iter/s)': 0.5}"
        )
    ),
    "nemo": _log(
        lambda n: f"Training epoch 0, iteration {n}/49 | lr: 3e-05 | train_step_timing in s: 2.3{n}"
    ),
    "deepspeed": _log(lambda n: f"steps: {n} loss: 7.12 iter time (s): 1.2{n} samples/sec: 25.9"),
    "engine": _log(
        lambda n: (
            f"[timer.py:264:stop] epoch=0/micro_step=8/global_step={n},"
            f" RunningAvgSamplesPerSec=20.5, CurrSamplesPerSec=20.{n}, MemAllocated=1GB"
        )
    ),
    "verl": _log(lambda n: f"step:{n} - actor/loss:0.1 - timing_s/step:62.7{n} - perf/x:1"),
    "titan": _log(
        lambda n: (
            f"2026-02-03 04:{_clock(n)} - root - INFO - \x1b[31mstep: {n:2d} "
            " \x1b[32mloss:  9.83\x1b[0m  tps: 4,376  tflops: 253.41"
        )
    ),
    "paddle": _log(lambda n: f"loss: 9.5, global_step: {n}, interval_runtime: 12.3{n}, x: 1"),
    "mmengine": _log(lambda n: f"Epoch(train) [1][{n:3d}/100] lr: 1 time: 0.3{n} data_time: 0.1"),
    "plain": _log(lambda n: f"step {n}/900 loss=3.2 step_time: 1.5{n}"),
    "platform": "2025-04-21 15:19:58 Command running...\n2025-04-21 15:25:56 Smoothed mean (iters"
    " 83-87: 9465.00 ms, baseline: 3101.00 ms), threshold ratio:2.05. Warning\n",
}
