import pytest

from rankscope.logs.formats import read_step
from rankscope.logs.formats.prefix import who_printed
from rankscope.logs.formats.quick import QUICK
from tests.logs.samples import SAMPLES

LINES = [
    line for sample in SAMPLES.values() for line in sample.replace("\r", "\n").split("\n") if line
]


@pytest.mark.parametrize("name", QUICK)
def test_it_reads_what_the_thorough_reader_reads(name: str) -> None:
    for line in LINES:
        quick, thorough = QUICK[name](line), read_step(line)
        if quick is None:
            continue
        assert thorough is not None
        assert (quick.step, quick.ms, quick.elapsed_s, quick.shape) == (
            thorough.step, thorough.ms, thorough.elapsed_s, thorough.shape,
        )  # fmt: skip
        assert not thorough.marks
        assert thorough.clock_s is None


@pytest.mark.parametrize("name", QUICK)
def test_each_reads_lines_of_its_format(name: str) -> None:
    read = [line for line in LINES if QUICK[name](line)]

    named = {reading.format for line in read if (reading := read_step(line))}
    assert name in named or name == "hf-trainer"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("progress-bar", "Loading:  5%|x  | 20/3125 [00:45<1:57:12,  2.27s/it]"),
        ("progress-bar", "  5%|x  | 20/3125 [00:45<1:57:12,  2.27s/it]{'loss': 1.0}"),
        ("progress-bar", "7:   5%|x  | 20/3125 [00:45<1:57:12,  2.27s/it]"),
        ("llama-factory", '{"current_steps": 5, "elapsed_time": "0:02:55", "eval_loss": 1.5}'),
        ("llama-factory", '{"current_steps": true, "elapsed_time": "0:02:55"}'),
        ("llama-factory", '{"current_steps": 5, "elapsed_time": "0:02:55.25"}'),
        ("llama-factory", '{"current_steps": 5, "elapsed_time": "0:02:55"'),
        ("hf-trainer", "{'loss': 1.5, 'elapsed_time': '3s', 'epoch': 1.0}"),
        ("hf-trainer", "[INFO|2026-06-08 03:41:43] x >> {'loss': 1.5, 'epoch': 1.0}"),
        ("hf-trainer", "{'loss': 1.5, 'epoch': 1.0} 5%|x  | 20/3125 [00:45<1:57:12,  2.27s/it]"),
    ],
)
def test_an_unusual_line_is_left_to_the_thorough_reader(name: str, line: str) -> None:
    assert QUICK[name](line) is None


def test_who_printed_is_part_of_what_must_not_change() -> None:
    line = " iteration 5/ 900 | elapsed time per iteration (ms): 12.5 |"
    prefixes = ("", "[rank3]:", "[rank4]:", "[default7]: ")

    found = {prefix: QUICK["megatron-lm"](f"{prefix}{line}") for prefix in prefixes}

    same = {one.same for one in found.values() if one}
    assert len(same) == len({who_printed(f"{prefix}{line}") for prefix in prefixes}) == 4
