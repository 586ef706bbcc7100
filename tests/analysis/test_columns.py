"""Captures whose processes, threads and tasks are numbers of kinds that their node lists once."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.interning import columns
from rankscope.analysis import analyse
from rankscope.analysis.decode import Decoder
from rankscope.analysis.threads import ShapeReader
from rankscope.analysis.wire import MOST_THREADS
from rankscope.capture_file import parse_capture
from rankscope.model.capture import NodeSample, Task, Tasks, Thread, Threads
from tests.analysis.test_properties import JUNK, damage, places
from tests.suite import KINDS, case

FRAMES = [{"name": "f", "filename": "/p/x.py", "line": 3}]


def thread(tid: int, name: str = "pool", **fields: Any) -> dict[str, Any]:
    return {"thread_name": name, "os_thread_id": tid, "active": False, "frames": FRAMES, **fields}


def process(pid: int, *more: dict[str, Any], **fields: Any) -> dict[str, Any]:
    task = {"tid": pid, "comm": "python", "state": "S", "wchan": "futex", "cpu_ticks": pid}
    return {
        "pid": pid, "ppid": 1, "rank": pid - 70, "local_rank": 0, "role": "trainer", "state": "S",
        "wchan": "futex", "cmdline": ["python", "x.py"], "env": {"RANK": str(pid - 70)},
        "python": "3.11.9", "mode": "nonblocking", "error": None, "pause_ms": 0.0,
        "threads": [thread(pid, "MainThread"), *more], "tasks": [task], **fields,
    }  # fmt: skip


def node(*processes: dict[str, Any]) -> dict[str, Any]:
    return {"node": "a", "sample": 0, "error": None, "processes": list(processes)}


def fast(line: dict[str, Any], decoder: Decoder | None = None) -> NodeSample:
    found = (decoder or Decoder()).node_line(json.dumps(line).encode())
    assert found is not None
    return found


ROWS = node(process(70, thread(72)), process(71, thread(73)), process(74, role="helper", rank=None))
PACKED: dict[str, Any] = json.loads(json.dumps(columns(ROWS)))


def test_columns_say_what_rows_say_however_they_are_read() -> None:
    assert fast(PACKED) == Decoder().node(PACKED) == fast(ROWS) == Decoder().node(ROWS)


@pytest.mark.parametrize("name", [*sorted(KINDS)[::4]])
def test_a_capture_in_columns_gives_the_report_of_the_same_one_in_rows(name: str) -> None:
    drawn = next(c for c in (case(name, seed) for seed in range(40)) if is_plain(c.content))
    header, *nodes = map(json.loads, drawn.content)
    packed = [columns(line) if line["processes"] else line for line in nodes]

    assert told(drawn.content) == told([json.dumps(line).encode() for line in (header, *packed)])


def is_plain(content: list[bytes]) -> bool:
    return b'"frames"' in content[1] and b'"stack"' not in content[1]


def told(content: list[bytes]) -> Any:
    return analyse(parse_capture(content), at=datetime(2026, 6, 8, tzinfo=UTC))


def test_processes_that_are_alike_on_all_nodes_share_their_threads() -> None:
    decoder = Decoder()
    one, other, _ = fast(PACKED, decoder).processes
    again = fast({**PACKED, "node": "b"}, decoder).processes[0]

    shape_of = ShapeReader()
    assert isinstance(one.threads, Threads)
    assert one.threads is not other.threads
    assert shape_of(one) is shape_of(other) is shape_of(again)
    assert [t.os_thread_id for t in other.threads] == [71, 73]


def test_which_thread_is_the_main_one_is_part_of_the_likeness() -> None:
    first = process(70, thread(72, "MainThread"))
    second = process(71, thread(73, "MainThread"))
    second["threads"].reverse()
    one, other = fast(columns(node(first, second))).processes

    shape_of = ShapeReader()
    assert shape_of(one) is not shape_of(other)
    assert (shape_of(one).main, shape_of(other).main) == (0, 1)


def test_a_thread_that_is_listed_twice_is_told_apart_by_its_id() -> None:
    shadow = process(70, thread(70, frames=[]))
    (read,) = fast(columns(node(shadow))).processes

    assert isinstance(read.threads, tuple)
    assert ShapeReader()(read).main == 0


def test_threads_and_tasks_are_like_tuples() -> None:
    read = fast(PACKED).processes[0]
    threads, tasks = read.threads, read.tasks

    assert isinstance(threads, Threads)
    assert isinstance(tasks, Tasks)
    for columns_of in (threads, tasks):
        assert columns_of == tuple(columns_of)
        assert hash(columns_of) == hash(tuple(columns_of))
        assert columns_of not in ((), 3)
    assert threads[1] is threads[-1] is threads[1:][0]
    assert (len(threads), len(tasks)) == (2, 1)
    frames = threads[0].frames
    assert threads[0] == Thread("MainThread", frames, 70, active=False, owns_gil=None)
    assert list(tasks) == [Task(70, "python", "S", "futex", 70)]


@pytest.mark.parametrize(
    "damaged",
    [
        {"kinds": [0, 9], "ids": [70, 72]},
        {"kinds": [0, -1], "ids": [70, 72]},
        {"kinds": [0, True], "ids": [70, 72]},
        {"kinds": [0, "x"], "ids": [70, 72]},
        {"kinds": [0], "ids": [70, 72]},
        {"kinds": None, "ids": [70, 72]},
    ],
)
def test_a_thread_of_an_unknown_kind_has_no_frames_and_the_others_stay(damaged: Any) -> None:
    line = json.loads(json.dumps(PACKED))
    line["processes"][0]["threads"] = damaged

    found = parse_capture([json.dumps(line).encode()]).samples[0].processes

    assert [t.os_thread_id for t in found[0].threads] == [70, 72]
    assert found[0].threads[1].frames == ()
    assert found[1] == fast(ROWS).processes[1]


@pytest.mark.parametrize("kind", [9, -1, None, "x", True])
def test_a_process_of_an_unknown_kind_keeps_its_rank_and_its_threads(kind: Any) -> None:
    line = json.loads(json.dumps(PACKED))
    line["processes"][0]["kind"] = kind

    found = parse_capture([json.dumps(line).encode()]).samples[0].processes[0]

    assert (found.pid, found.rank, found.role) == (70, 0, "trainer")
    assert found.threads == fast(ROWS).processes[0].threads


@pytest.mark.parametrize("read", [fast, Decoder().node])
def test_absurdly_many_threads_are_cut_in_columns_too(read: Any) -> None:
    many = MOST_THREADS - 5
    threads = {"kinds": [0] * many, "ids": list(range(100, 100 + many))}
    one, other, _ = PACKED["processes"]
    line = {**PACKED, "processes": [{**one, "threads": threads}, {**other, "threads": threads}]}

    found = read(line)

    assert [len(process.threads) for process in found.processes] == [many, 5]
    assert found.left_out == many - 5


@settings(deadline=None, max_examples=500)
@given(damages=st.lists(st.tuples(st.sampled_from(places(PACKED)), JUNK), min_size=1, max_size=4))
def test_damaged_columns_never_crash(damages: list[tuple[tuple[Any, ...], Any]]) -> None:
    line = json.loads(json.dumps(PACKED))
    for path, junk in damages:
        damage(line, path, junk)
    read = Decoder().node_line(json.dumps(line).encode())

    assert read is None or read == Decoder().node(line)
    analyse(parse_capture([json.dumps({"schema": "rankscope.capture/1"}).encode(),
                           json.dumps(line).encode()]))  # fmt: skip
