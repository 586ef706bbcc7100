from itertools import chain

import pytest

from rankscope.logs.formats import FORMATS, read_step
from rankscope.logs.formats.marks import announced_total, mark_of
from rankscope.logs.formats.prefix import plain
from rankscope.logs.picking import _OF_OTHERS, _OF_STEPS, KEPT, MOST_FORMS, Picker, thinned
from rankscope.logs.slow import read_warning
from tests.logs.samples import SAMPLES

STEP = " iteration {0}/ 900 | elapsed time per iteration (ms): {1} | lm loss: 5"


def told(text: str) -> bool:
    line = plain(text)
    found = (read_step(line), mark_of(line), announced_total(line), read_warning(line))
    return any(found)


def test_every_format_is_found_by_one_of_the_words() -> None:
    for known in FORMATS:
        needle = known.needle.encode()
        assert any(word in needle or needle in word for word in _OF_STEPS), known


@pytest.mark.parametrize("sample", SAMPLES)
def test_all_that_tells_something_is_picked(sample: str) -> None:
    block = SAMPLES[sample].encode()
    lines = block.replace(b"\r", b"\n").split(b"\n")
    wanted = [line.decode() for line in thinned(lines) if told(line[:KEPT].decode())]

    picked = Picker().pick(block)

    assert wanted
    assert [line for line in picked if told(line)] == wanted


def test_lines_that_tell_nothing_are_left_out() -> None:
    noise = b"rank 5 NCCL INFO Channel 01/0 : 3[3] -> 4[4] via P2P\nLoading data\n"

    assert Picker().pick(noise * 3 + STEP.format(7, 100.0).encode() + b"\n") == [
        STEP.format(7, 100.0)
    ]


def test_the_same_form_is_found_in_every_block() -> None:
    picker = Picker()
    blocks = [STEP.format(n, 100.0 + n).encode() + b"\n" for n in range(1, 99)]

    assert len(list(chain.from_iterable(map(picker.pick, blocks)))) == 98


def test_marks_and_ends_need_no_digits() -> None:
    lines = [
        "***** Running Evaluation *****",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
        "[after training is done]",
    ]

    assert Picker().pick("\n".join(lines).encode()) == lines
    assert all(any(word in line.encode() for word in _OF_OTHERS) for line in lines)


def test_forgetting_forms_loses_no_line() -> None:
    picker = Picker()
    letters = "abcdefghij"
    words = (f"{letters[n % 10]}{hash((n, 'x')):x}".encode() for n in range(MOST_FORMS + 10))
    picker.pick(b"\n".join(words))

    assert picker.pick(STEP.format(1, 5.0).encode()) == [STEP.format(1, 5.0)]


def test_bytes_that_are_no_text_do_no_harm() -> None:
    assert Picker().pick(b"\xff\xfe step: 5 time: 2.0\n") == ["\ufffd\ufffd step: 5 time: 2.0"]


def test_only_the_first_bar_of_a_second_stays_and_the_last_of_all() -> None:
    bars = [f" 5%|x | {n}/99 [00:0{n // 10}<1:57, 10it/s]".encode() for n in range(30)]
    others = [b"step 5", *bars[:5], b"step 6", *bars[5:]]

    assert thinned(others) == [b"step 5", bars[0], b"step 6", bars[10], bars[20], bars[29]]


def test_bars_of_two_kinds_do_not_hide_each_other() -> None:
    bars = [
        f" 5%|x | {n}/{9 * kind} [00:07<1:57, 10it/s]".encode() for n in (1, 2) for kind in (1, 2)
    ]

    assert thinned(bars) == bars
