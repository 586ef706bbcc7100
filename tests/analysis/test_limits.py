"""An agent gone wrong must not stop the analysis."""

import json
from typing import Any

import pytest

from rankscope.analysis import analyse
from rankscope.analysis.decode import Decoder
from rankscope.analysis.wire import MOST_PROCESSES, MOST_THREADS
from rankscope.capture_file import parse_capture
from rankscope.model.capture import NodeSample

FRAMES = [{"name": "f", "filename": "/p/x.py", "line": 3}]
MANY = [{"pid": n, "rank": n, "role": "trainer"} for n in range(MOST_PROCESSES + 7)]
THREADS = [{"thread_name": "t", "os_thread_id": n, "frames": FRAMES} for n in range(MOST_THREADS)]
CROWDED = [
    {"pid": n, "rank": n, "role": "trainer", "threads": THREADS[: 1 << 15]} for n in range(3)
]


def read(line: dict[str, Any], *, fast: bool) -> NodeSample:
    found = Decoder().node_line(json.dumps(line).encode()) if fast else Decoder().node(line)
    assert found is not None
    return found


@pytest.mark.parametrize("fast", [True, False])
def test_of_absurdly_many_processes_the_first_are_read_and_the_rest_is_counted(fast: bool) -> None:
    found = read({"node": "a", "sample": 0, "processes": MANY}, fast=fast)

    assert len(found.processes) == MOST_PROCESSES
    assert found.left_out == 7


@pytest.mark.parametrize("fast", [True, False])
def test_of_absurdly_many_threads_too(fast: bool) -> None:
    found = read({"node": "a", "sample": 0, "processes": CROWDED}, fast=fast)

    assert [len(process.threads) for process in found.processes] == [1 << 15, 1 << 15, 0]
    assert found.left_out == 1 << 15


def test_the_report_says_what_was_left_out() -> None:
    line = json.dumps({"node": "a", "sample": 0, "processes": MANY}).encode()

    missing = analyse(parse_capture([line])).missing

    assert missing[0].node == "a"
    assert "7 of its processes and threads were not read" in missing[0].why("en")
    assert "7 个没有读取" in missing[0].why("zh")


def test_what_an_answering_node_says_of_itself_is_shown() -> None:
    line = json.dumps({"node": "a", "sample": 0, "error": "pid 9 in D", "processes": MANY[:1]})

    missing = analyse(parse_capture([line.encode()])).missing

    assert (missing[0].node, missing[0].reason) == ("a", "pid 9 in D")
