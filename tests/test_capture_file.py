import json
from pathlib import Path

import pytest
import zstandard

from rankscope.analysis import analyse
from rankscope.capture_file import parse_capture, read_captures
from rankscope.errors import UnusableInput
from rankscope.model.capture import NcclOutcome, Role, Trigger

HEADER = {
    "schema": "rankscope.capture/1",
    "job_id": "jo-1",
    "print_id": "1780890495107774003",
    "trigger": "hang",
    "world_size": 2,
    "samples": 1,
    "requested_nodes": ["a"],
}
THREAD = {
    "thread_name": "MainThread",
    "os_thread_id": 7,
    "active": True,
    "owns_gil": False,
    "frames": [{"name": "f", "filename": "/p/x.py", "line": 3, "locals": None, "novel": [1]}],
}
PROCESS = {"pid": 7, "rank": 0, "role": "trainer", "state": "S", "threads": [THREAD]}
NODE = {"node": "a", "sample": 0, "error": None, "processes": [PROCESS]}
NCCL = {"nccl": {"node": "a", "outcome": "unsupported", "nccl_version": "2.21.5"}}

TEXT = """\
Process 4250: python train.py
 --with-a-line-break
Python v3.11.4 (/usr/bin/python3.11)

Thread 4250 (idle): "MainThread"
    all_reduce (torch/distributed/distributed_c10d.py:3252)
    step (/mnt/p/train.py:20)
    <module> (/mnt/p/train.py:40)
Thread 0x7F445DE3E740 (active+gil)
    read (/mnt/p/(odd) name/data.py)
"""


def lines(*objects: object) -> list[bytes]:
    return [json.dumps(item).encode() for item in objects]


def test_a_capture_is_read_whole() -> None:
    capture = parse_capture(lines(HEADER, NODE, NCCL, {"end": True}))

    assert capture.header.trigger is Trigger.HANG
    assert capture.header.requested_nodes == ("a",)
    process = capture.samples[0].processes[0]
    assert (process.rank, process.role, process.state) == (0, Role.TRAINER, "S")
    assert process.threads[0].frames[0].line == 3
    assert capture.nccl[0].outcome is NcclOutcome.UNSUPPORTED


def test_wrong_fields_are_dropped_and_the_rest_is_kept() -> None:
    process = {**PROCESS, "rank": "zero", "state": 5, "tasks": [3, {"tid": "x"}], "env": [1]}
    capture = parse_capture(lines(HEADER, {**NODE, "processes": [process, None, 7]}))

    found = capture.samples[0].processes
    assert len(found) == 1
    assert (found[0].rank, found[0].state, found[0].pid) == (None, "", 7)


def test_equal_stacks_are_one_object() -> None:
    capture = parse_capture(lines(HEADER, NODE, {**NODE, "sample": 1}))

    first, second = (sample.processes[0].threads[0].frames for sample in capture.samples)
    assert first is second


def test_a_line_that_is_no_json_is_kept_as_an_error() -> None:
    capture = parse_capture([*lines(HEADER, NODE), b'{"node": "b", "proce'])

    assert capture.samples[1].error == "line 3 of the capture cannot be read"
    assert "1 line" in " ".join(caution.en for caution in analyse(capture).cautions)


def test_a_capture_without_header_or_roles_is_still_one() -> None:
    process = {"pid": 7, "rank": 0, "threads": [THREAD]}
    capture = parse_capture(lines({"node": "a", "processes": [process]}))

    assert capture.header.job_id == "unknown"
    assert capture.samples[0].processes[0].role is Role.TRAINER


def test_absurd_numbers_do_not_become_loops() -> None:
    header = {**HEADER, "world_size": 10**15}
    node = {**NODE, "processes": [{**PROCESS, "rank": 10**12}]}

    assert parse_capture(lines(header, node)).header.world_size is None


@pytest.mark.parametrize("content", [[], [b""], [b"no"], [b"[1]"], [b"null"], [b"\xff\xfe"]])
def test_nothing_of_the_kind_is_an_error(content: list[bytes]) -> None:
    with pytest.raises(UnusableInput):
        parse_capture(content)


def test_zstd_files_are_read_and_a_cut_one_as_far_as_it_goes(tmp_path: Path) -> None:
    nodes = [{**NODE, "node": f"n{number}", "agent": str(number) * 99} for number in range(4000)]
    packed = zstandard.ZstdCompressor().compress(b"\n".join(lines(HEADER, *nodes)))
    whole, cut = tmp_path / "c.jsonl.zst", tmp_path / "cut.jsonl.zst"
    whole.write_bytes(packed)
    cut.write_bytes(packed[: len(packed) * 2 // 3])

    assert len(read_captures([whole]).samples) == 4000
    assert 0 < len(read_captures([cut]).samples) < 4000


def test_the_files_of_one_capture_are_joined(tmp_path: Path) -> None:
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    one.write_bytes(b"\n".join(lines(HEADER, NODE)))
    two.write_bytes(b"\n".join(lines(HEADER, {**NODE, "node": "b"})))

    assert [s.node for s in read_captures([one, two]).samples] == ["a", "b"]


def test_files_of_different_captures_are_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    one.write_bytes(b"\n".join(lines(HEADER, NODE)))
    two.write_bytes(b"\n".join(lines({**HEADER, "print_id": "9"}, NODE)))

    with pytest.raises(UnusableInput, match="rankscope compare"):
        read_captures([one, two])


def test_text_dumps_take_their_rank_from_the_name(tmp_path: Path) -> None:
    paths = [tmp_path / f"rank{rank}" / "dump.txt" for rank in (3, 1)]
    for path in paths:
        path.parent.mkdir()
        path.write_text(TEXT)

    processes = read_captures(paths).samples[0].processes

    assert [process.rank for process in processes] == [3, 1]
    main, other = processes[0].threads
    assert (processes[0].pid, processes[0].python) == (4250, "3.11.4")
    assert (main.name, main.os_thread_id, main.active) == ("MainThread", 4250, False)
    assert [frame.name for frame in main.frames] == ["all_reduce", "step", "<module>"]
    assert (other.owns_gil, other.frames[0].filename) == (True, "/mnt/p/(odd) name/data.py")


FAULTHANDLER = """\
Thread 0x00007f12 [prefetch] (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/usr/lib/python3.11/threading.py", line 1002 in _bootstrap

Current thread 0x00007f34 (most recent call first):
  File "/mnt/p/feed.py", line 21 in read
  File "/mnt/p/main.py", line 40 in <module>
"""
PYSTACK = """\
Traceback for thread 71 (python) [Has the GIL] (most recent call last):
    (Python) File "/mnt/p/main.py", line 40, in <module>
        run()
    (C) File "Python/ceval.c", line ???, in _PyEval_Vector (/usr/bin/python3)
    (Python) File "/mnt/p/feed.py", line 21, in read
"""


@pytest.mark.parametrize("text", [FAULTHANDLER, PYSTACK])
def test_faulthandler_and_pystack_text_is_read(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rank_0.txt"
    path.write_text(text)

    thread = read_captures([path]).samples[0].processes[0].threads[-1]

    assert (thread.frames[0].name, thread.frames[0].line) == ("read", 21)
    assert thread.frames[-1].name == "<module>"


def test_interned_stacks_are_as_good_as_repeated_ones() -> None:
    interned = {key: value for key, value in THREAD.items() if key != "frames"} | {"stack": 0}
    node = {**NODE, "processes": [{**PROCESS, "threads": [interned]}], "stacks": [THREAD["frames"]]}

    assert parse_capture(lines(HEADER, node)) == parse_capture(lines(HEADER, NODE))


@pytest.mark.parametrize("index", [-1, 7, None, "x", True])
def test_an_index_of_no_stack_is_an_empty_stack(index: object) -> None:
    thread = {"thread_name": "MainThread", "stack": index}
    node = {**NODE, "stacks": [THREAD["frames"]], "processes": [{**PROCESS, "threads": [thread]}]}

    assert parse_capture(lines(HEADER, node)).samples[0].processes[0].threads[0].frames == ()


def test_json_dumps_are_ranked_by_order(tmp_path: Path) -> None:
    paths = [tmp_path / "first.json", tmp_path / "second.json"]
    for path in paths:
        path.write_text(json.dumps([{**THREAD, "pid": 7}]))

    capture = read_captures(paths)

    assert [process.rank for process in capture.samples[0].processes] == [0, 1]
    assert analyse(capture).summary.ranks_seen == 2


def test_one_file_may_hold_all_ranks(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(TEXT + TEXT.replace("4250", "4251"))

    assert analyse(read_captures([path])).summary.ranks_seen == 2


def test_a_dump_that_failed_keeps_its_error(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.txt"
    path.write_text("Error: Failed to suspend process\nReason: EPERM\n")

    assert read_captures([path]).samples[0].processes[0].error == "Error: Failed to suspend process"


@pytest.mark.parametrize("content", [b"", b"  \n", b"hello", b"[]", b"[1, 2]", b"{}"])
def test_other_files_are_refused_in_one_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)

    with pytest.raises(UnusableInput) as error:
        read_captures([path])
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="cannot be read"):
        read_captures([tmp_path / "none"])
    with pytest.raises(UnusableInput, match="No file"):
        read_captures([])


def test_text_dumps_keep_files_and_lines_apart(tmp_path: Path) -> None:
    path = tmp_path / "rank0.txt"
    path.write_text(TEXT)

    threads = read_captures([path]).samples[0].processes[0].threads
    found = [
        (frame.name, frame.filename, frame.line) for thread in threads for frame in thread.frames
    ]
    assert found == [
        ("all_reduce", "torch/distributed/distributed_c10d.py", 3252),
        ("step", "/mnt/p/train.py", 20),
        ("<module>", "/mnt/p/train.py", 40),
        ("read", "/mnt/p/(odd) name/data.py", 0),
    ]
