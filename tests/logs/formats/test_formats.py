"""Each framework's line, composed by us in its wording."""

import pytest

from rankscope.logs.formats import FORMATS, Reading, read_step
from rankscope.logs.formats.marks import CHECKPOINT, EVALUATION, SKIPPED

TAIL = " | learning rate: 3.0E-05 | global batch size:   512 | lm loss: 2.1E+00 | loss scale: 1.0 |"
MEGATRON = (
    " iteration       40/    9000 | consumed samples:        20480 | elapsed time per iteration"
)


def read(line: str) -> Reading:
    reading = read_step(line)
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("line", "variant", "ms"),
    [
        (" iteration 200/  9000 | elapsed time per iteration (ms): 611.4 |", "v1 (2020)", 611.4),
        (f"{MEGATRON} (ms): 2311.9{TAIL}", "v2-23.06", 2311.9),
        (f"{MEGATRON} (ms): 2311.9 | throughput per GPU (TFLOP/s): 9.2{TAIL}", "core 0.5", 2311.9),
        (f" [2025-02-03 04:05:06]{MEGATRON} (ms): 811.0{TAIL}", "core 0.6-0.15", 811.0),
        (f" [2026-02-03 04:05:06.000123]{MEGATRON} (ms): 811.0{TAIL}", "core 0.16+", 811.0),
    ],
)  # fmt: skip
def test_megatron(line: str, variant: str, ms: float) -> None:
    reading = read(line)

    assert (reading.format, reading.variant, reading.ms) == ("megatron-lm", variant, ms)


def test_megatron_tells_its_batch_and_sequence_length() -> None:
    line = f"{MEGATRON} (ms): 9.5{TAIL} actual seqlen:  4096 |"

    assert read(line).shape == (512, 4096)


def test_the_deepspeed_forks_of_megatron() -> None:
    tokens = MEGATRON.replace("| elapsed", "| consumed tokens:  81920 | elapsed")

    in_ms, in_s = (
        read(f"{tokens} (ms): 9000.5{TAIL}"),
        read(f"[default7]:{tokens} (s): 98.75{TAIL}"),
    )

    assert (in_ms.format, in_ms.variant, in_ms.ms) == ("megatron-deepspeed", "DeepSpeed", 9000.5)
    assert (in_s.format, in_s.variant, in_s.ms) == ("megatron-deepspeed", "BigScience", 98750.0)


@pytest.mark.parametrize("time", ["nan", "inf", "0.0", "-3", "1.2.3"])
def test_what_is_no_time_is_none(time: str) -> None:
    reading = read(f"{MEGATRON} (ms): {time}{TAIL}")

    assert (reading.step, reading.ms) == (40, None)


def test_a_skipped_update_is_noted() -> None:
    assert read(f"{MEGATRON} (ms): 9{TAIL} number of skipped iterations:   1 |").marks == (SKIPPED,)
    assert read(f"{MEGATRON} (ms): 9{TAIL} number of skipped iterations:   0 |").marks == ()


@pytest.mark.parametrize(
    ("line", "step", "elapsed", "variant"),
    [
        (
            '{"current_steps": 30, "total_steps": 90, "lr": 1e-05, "elapsed_time": "0:04:10"}',
            30, 250, "trainer_log.jsonl",
        ),
        (
            ('{"current_steps": 30, "total_steps": 90, "learning_rate": 1e-05, "throughput": "9.1",'
            ' "elapsed_time": "2 days, 1:00:01"}'),
            30, 176401, "trainer_log.jsonl, old keys",
        ),
    ],
)  # fmt: skip
def test_llama_factorys_file(line: str, step: int, elapsed: float, variant: str) -> None:
    reading = read(line)

    assert (reading.format, reading.variant) == ("llama-factory", variant)
    assert (reading.step, reading.total, reading.elapsed_s) == (step, 90, elapsed)


def test_llama_factorys_evaluations_are_noted() -> None:
    line = '{"current_steps": 30, "total_steps": 90, "eval_loss": 1.5, "elapsed_time": "0:04:10"}'

    assert read(line).marks == (EVALUATION,)


@pytest.mark.parametrize("rest", ["", ', "elapsed_time": "0:01', ', "elapsed_time": null}'])
def test_half_a_record_gives_no_time(rest: str) -> None:
    reading = read_step('{"current_steps": 30' + rest)

    assert reading is None or reading.elapsed_s is None


def test_llama_factorys_output_has_a_time_stamp_and_no_step() -> None:
    head = "[INFO|2026-02-03 04:05:06] llamafactory.train.callbacks:143 >> "

    reading = read(head + "{'loss': 1.5, 'learning_rate': 4e-05, 'epoch': 0.5}")

    assert (reading.format, reading.variant, reading.step) == ("llama-factory", "stdout", None)
    assert reading.clock_s is not None
    assert read("{'loss': 1.5, 'epoch': 0.5}").format == "hf-trainer"
    assert read("{'loss': '1.5', 'epoch': '0.5'}").variant == "v5"


@pytest.mark.parametrize(
    ("line", "step", "elapsed"),
    [
        ("  2%|▏         | 30/1500 [01:05<53:20,  2.18s/it]", 30, 65),
        ("[rank0]:   2%|▏   | 30/1500 [1:01:05<53:20,  2.18s/it]", 30, 3665),
        ("worker-0:  2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Train:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Training Progress:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Iteration:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("global step:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Fine-tuning:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Train step of epoch 1:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 1530, 65),
        ("Epoch 1/3:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 30, 65),
        ("Epoch [2/3]:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s]", 1530, 65),
        ("Epoch 2:   2%|▏   | 30/1500 [01:05<53:20,  1.18it/s, v_num=1]", 3030, 65),
        ("  1%|   | 29/1500 [01:03<53:20, 2.1s/it]  2%|   | 30/1500 [01:05<5:20, 2.1s/it]", 30, 65),
    ],
)
def test_progress_bars(line: str, step: int, elapsed: float) -> None:
    reading = read(line)

    assert (reading.step, reading.total, reading.elapsed_s) == (step, 1500, elapsed)


@pytest.mark.parametrize(
    "line",
    [
        "Tokenizing:  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "Evaluating epoch 1:  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "Processed prompts:  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "Saving train state:  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "Loading checkpoint shards:  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "worker-0: Map (num_proc=8):  50%|█████     | 2/4 [00:04<00:04,  2.10s/it]",
        "Generating train split:  50%|█████     | 2/4 [00:04<00:04, 21.10 examples/s]",
    ],
)
def test_bars_of_other_things(line: str) -> None:
    assert read_step(line) is None


@pytest.mark.parametrize(
    ("line", "variant", "elapsed", "average"),
    [
        (
            ("{'loss': 1.5, 'global_step/max_steps': '6/90', 'elapsed_time': '12s',"
            " 'train_speed(iter/s)': 0.5}"),
            "2024-2025", 12, 2000,
        ),
        (
            ("Train:  8%|▊ | 6/90 [05:00<46:25, 50.0s/it]{'loss': '0.6', 'global_step/max_steps':"
            " '6/90', 'elapsed_time': '5m 0s', 'train_speed(s/it)': '50.25'}"),
            "2026", 300, 50250,
        ),
        (
            ("{'loss': 0.4, 'iteration': '6/90', 'elapsed_time': '1d 2h 3m 4s',"
            " 'train_speed(s/it)': 15630.6}"),
            "megatron", 93784, 15630600,
        ),
    ],
)  # fmt: skip
def test_ms_swift(line: str, variant: str, elapsed: float, average: float) -> None:
    reading = read(line)

    assert (reading.format, reading.variant, reading.step) == ("ms-swift", variant, 6)
    assert (reading.elapsed_s, reading.average_ms) == (elapsed, average)


@pytest.mark.parametrize(
    ("line", "format_", "variant", "step", "ms"),
    [
        (
            ("Training epoch 1, iteration 6/50 | lr: 2e-05 | global_batch_size: 16 |"
            " train_step_timing in s: 1.25 | consumed_samples: 900"),
            "nemo", "2", 56, 1250,
        ),
        (
            ("Training epoch 1, iteration 6/50 | lr: 2e-05 | global_step: 57 |"
            " train_step_timing in s: 1.25"),
            "nemo", "2", 57, 1250,
        ),
        (
            ("Epoch 0: :   6%|▌   | 6/100 [00:12<03:45, v_num=x, global_step=5.000,"
            " train_step_timing in s=1.250]"),
            "nemo", "1", 5, 1250,
        ),
        (
            "steps: 30 loss: 6.5 iter time (s): 0.75 samples/sec: 42.7",
            "deepspeed", "pipeline", 30, 750,
        ),
        (
            ("[timer.py:264:stop] epoch=0/micro_step=80/global_step=30, RunningAvgSamplesPerSec=9,"
            " CurrSamplesPerSec=8.0, MemAllocated=1GB"),
            "deepspeed", "engine", 30, 125,
        ),
        (
            "(TaskRunner pid=77) step:30 - actor/lr:1e-06 - timing_s/gen:2.5 - timing_s/step:4.5",
            "verl", "timing_s", 30, 4500,
        ),
        ("step:30 - timing/gen:2.5 - timing/update_actor:1.5 - a/b:9", "verl", "timing", 30, 4000),
        (
            ("02/03 04:05:06 - mmengine - INFO - Epoch(train)  [2][ 30/100]  lr: 5e-03  eta: 1:00"
            "  time: 0.2500  data_time: 0.0040  loss: 2.5"),
            "mmengine", "mmengine", 130, 250,
        ),
        (
            ("02/03 04:05:06 - mmengine - INFO - Iter(train) [ 30/100]  lr: 5e-03  eta: 1:00:00"
            "  time: 0.2500  data_time: 0.0040  loss: 2.5"),
            "mmengine", "mmengine", 30, 250,
        ),
        (
            ("2024-02-03 04:05:06,106 - mmdet - INFO - Epoch [2][30/100] lr: 5e-03, eta: 3:55:18,"
            " time: 0.250, data_time: 0.005, loss: 2.5"),
            "mmengine", "mmcv", 130, 250,
        ),
        (
            ("[2026-02-03 04:05:06,345] [ INFO] - loss: 9.5, global_step: 30,"
            " interval_runtime: 12.5,"
            " interval_samples_per_second: 2.6, interval_steps_per_second: 0.81, epoch: 0.1"),
            "paddlenlp", "", 30, 1250,
        ),
        ("iter 30: loss 3.2, time 251.5ms, mfu 30%", "generic", "step time", 30, 251.5),
        ("step 30 | loss 3.2 | step_time: 1.5", "generic", "step time", 30, 1500),
        ("step 30/90 loss=3.2 1.5s/it", "generic", "step time", 30, 1500),
        ("step 30/90 loss=3.2 4.0 it/s", "generic", "step time", 30, 250),
        ("Epoch: [1][ 30/100]\tTime  0.250 (  1.2)\tLoss 6.9", "generic", "step time", 130, 250),
        ("Train: 1 [  30/100 (  4%)]  Loss: 6.9  Time: 0.250s", "generic", "step time", 130, 250),
        ("step=30 time_per_step (ms): 12.5", "generic", "step time", 30, 12.5),
    ],
)  # fmt: skip
def test_own_times(line: str, format_: str, variant: str, step: int, ms: float) -> None:
    reading = read(line)

    assert (reading.format, reading.variant) == (format_, variant)
    assert [reading.step, reading.ms] == pytest.approx([step, ms])


def test_a_rate_without_a_time_stamp_is_time_per_sample() -> None:
    line = "global_step=30, RunningAvgSamplesPerSec=9, CurrSamplesPerSec=8.0, MemAllocated=1GB"
    stamped = read(f"[2026-02-03 04:05:06,345] [INFO] {line}")

    assert read(line).unit == "ms/sample"
    assert (stamped.unit, stamped.ms, stamped.resolution_s) == ("ms", None, 0.001)


def test_verl_tells_its_tokens_and_what_else_it_did() -> None:
    line = (
        "step:30 - timing_s/testing:9.5 - timing_s/save_checkpoint:3.0 - timing_s/step:44.5"
        " - perf/total_num_tokens:4000"
    )

    assert read(line).work == 4000
    assert read(line).marks == (CHECKPOINT, EVALUATION)


def test_torchtitan_counts_training_steps_only() -> None:
    step = (
        "[rank0]:[titan] 2026-02-03 04:05:06,345 - root - INFO - step: 40  loss:  9.5  tps: 4,376"
    )

    assert (read(step).format, read(step).variant, read(step).step) == ("torchtitan", "2024", 40)
    assert read(f"{step}  tflops: 25.0").variant == "2025+"
    assert read_step(step.replace("step: 40", "validate step: 40")) is None


@pytest.mark.parametrize(
    "line",
    [
        "",
        "saving checkpoint at iteration      40 to /out in torch_dist format",
        " validation loss at iteration 40 | lm loss value: 5.0 |",
        "NCCL INFO Channel 00/02 : 0 1",
        "{'eval_loss': 1.2, 'eval_runtime': 92.4, 'epoch': 0.5}",
        "{'train_runtime': 99.9, 'train_steps_per_second': 0.3, 'epoch': 1.0}",
        "micro_step=8 time: 3.0",
    ],
)
def test_other_lines_are_no_steps(line: str) -> None:
    assert read_step(line) is None


def test_every_format_has_a_needle() -> None:
    assert all(known.needle for known in FORMATS)
