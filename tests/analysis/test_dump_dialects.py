from rankscope.analysis.decode import Decoder
from rankscope.analysis.plain_dumps import processes_of_text
from rankscope.model.capture import Process

USUAL = """\
Process 4250: python train.py
Python v3.11.4 (/usr/bin/python3.11)

Thread 4250 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:3252)
    step (train.py:20)
    <module> (train.py:40)
Thread 0x7F445DE3E740 (active): "writer"
    wait (threading.py:331)
    _bootstrap (threading.py:1002)
"""
FOLDED = """\
<module> (train.py:40);step (train.py:20);all_reduce (torch/distributed/distributed_c10d.py:3252) 97
<module> (train.py:40);step (train.py:18);forward (model.py:3) 2
_bootstrap (threading.py:1002);wait (threading.py:331) 99
"""
THREADS = """\
process 71:"python train.py";thread (0x7F44): MainThread;<module> (train.py:40);step (train.py:20) 9
process 71:"python train.py";thread (0x7F45);_bootstrap (threading.py:1002);poll (io.py) 9
process 72:"python train.py";thread (0x7F46): MainThread;<module> (train.py:40);libc_read 9
"""


def read(text: str) -> list[Process]:
    return processes_of_text(text, Decoder())


def calls(process: Process) -> list[list[str]]:
    return [[f"{f.name}:{f.line}" for f in thread.frames] for thread in process.threads]


def test_folded_lines_give_each_thread_where_it_was_most_often() -> None:
    (process,) = read(FOLDED)

    assert calls(process) == [
        ["all_reduce:3252", "step:20", "<module>:40"],
        ["wait:331", "_bootstrap:1002"],
    ]
    assert process.threads[0].frames[0].filename == "torch/distributed/distributed_c10d.py"


def test_folded_lines_may_name_processes_and_threads() -> None:
    first, second = read(THREADS)

    assert (first.pid, second.pid) == (71, 72)
    assert [thread.name for thread in first.threads] == ["MainThread", None]
    assert calls(first) == [["step:20", "<module>:40"], ["poll:0", "_bootstrap:1002"]]
    assert calls(second) == [["libc_read:0", "<module>:40"]]


def test_a_dump_whose_line_breaks_were_lost_is_the_same_dump() -> None:
    usual = read(USUAL)

    assert read(" ".join(USUAL.split())) == usual
    assert read(USUAL.replace("\n", "\\n")) == usual
    assert read("INFO stack: " + USUAL.replace('"', '\\"').replace("\n", "\\n")) == usual


def test_other_text_is_no_dump() -> None:
    for text in (
        "a;b;c",
        "x = f(a); y = g(b) 3",
        "loss 3.2\nstep 4",
        "(" * 5000,
        "a;" * 9000 + " 1",
    ):
        assert not any(process.threads for process in read(text))
