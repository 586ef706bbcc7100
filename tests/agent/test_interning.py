import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.interning import columns, interned
from rankscope.analysis.columns import with_rows

FRAMES = st.lists(st.fixed_dictionaries({"name": st.sampled_from("abc")}), max_size=3)
THREADS = st.lists(
    st.fixed_dictionaries(
        {
            "thread_name": st.none() | st.just("MainThread"),
            "active": st.none() | st.booleans(),
            "owns_gil": st.booleans(),
            "os_thread_id": st.integers(1, 9),
            "frames": FRAMES,
        }
    ),
    max_size=3,
)
TASKS = st.lists(
    st.fixed_dictionaries(
        {
            "tid": st.integers(1, 9),
            "comm": st.just("python"),
            "state": st.sampled_from("SRD"),
            "wchan": st.sampled_from(["", "futex"]),
            "cpu_ticks": st.integers(0, 9),
        }
    ),
    max_size=3,
)
SAMPLES = st.lists(
    st.fixed_dictionaries(
        {
            "pid": st.integers(1, 9),
            "rank": st.none() | st.integers(0, 9),
            "role": st.sampled_from(["trainer", "helper"]),
            "cmdline": st.lists(st.sampled_from(["python", "x"]), max_size=2),
            "env": st.dictionaries(st.sampled_from(["RANK"]), st.sampled_from("01")),
            "threads": THREADS,
            "tasks": TASKS,
        }
    ),
    max_size=4,
)


def expanded(sample: dict[str, Any]) -> dict[str, Any]:
    """What a reader does."""
    processes = [with_rows(process, sample) for process in sample["processes"]]
    for process in processes:
        process.pop("kind", None)
        for thread in process["threads"]:
            thread["frames"] = sample["stacks"][thread.pop("stack")]
    return {"node": sample["node"], "processes": processes}


@pytest.mark.parametrize("form", [interned, columns])
@given(processes=SAMPLES)
def test_nothing_is_lost_and_no_stack_is_sent_twice(
    form: Any, processes: list[dict[str, Any]]
) -> None:
    # An agent writes the fields of all rows in one order.
    sample = json.loads(json.dumps({"node": "a", "processes": processes}, sort_keys=True))
    sent = json.loads(json.dumps(form(sample)))
    for name in {"stacks", "thread_kinds", "task_kinds", "process_kinds"} & sent.keys():
        assert all(one not in sent[name][:n] for n, one in enumerate(sent[name]))
    assert expanded(sent) == sample


def test_the_sample_itself_is_left_as_it_is() -> None:
    sample = {
        "processes": [{"threads": [{"frames": [{"name": "a"}]}, {"frames": [{"name": "a"}]}]}]
    }
    sent = interned(sample)
    assert [thread["stack"] for thread in sent["processes"][0]["threads"]] == [0, 0]
    assert sample["processes"][0]["threads"][0] == {"frames": [{"name": "a"}]}


def test_a_thread_without_frames_has_an_empty_stack() -> None:
    assert interned({"processes": [{"threads": [{"frames": None}]}]})["stacks"] == [[]]


def test_frames_in_columns_leave_out_what_says_nothing_but_keep_locals_that_were_allowed() -> None:
    frame = {"name": "", "filename": "/p/x.py", "line": 0, "module": None, "is_entry": False}
    seen = {"name": "f", "filename": "/p/x.py", "line": 3, "locals": [{"name": "n"}]}
    process = {"threads": [{"frames": [frame, seen]}], "tasks": []}

    sent = columns({"processes": [process]})

    assert sent["stacks"] == [[{"name": "", "filename": "/p/x.py"}, seen]]


def test_what_an_agent_may_add_to_a_process_or_a_task_is_kept() -> None:
    task = {"tid": 7, "state": "D", "kernel_stack": ["nfs_wait"], "cpu_ticks": 3}
    process = {"pid": 7, "facts": {"torch": "2.9.0"}, "threads": [], "tasks": [task]}

    sent = columns({"processes": [process]})

    assert with_rows(sent["processes"][0], sent) == {**process, "kind": 0}
