from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.interning import interned

FRAMES = st.lists(st.fixed_dictionaries({"name": st.sampled_from("abc")}), max_size=3)
THREADS = st.lists(st.fixed_dictionaries({"thread_name": st.none(), "frames": FRAMES}), max_size=3)
SAMPLES = st.lists(
    st.fixed_dictionaries({"pid": st.integers(1, 9), "threads": THREADS}), max_size=4
)


def expanded(sample: dict[str, Any]) -> dict[str, Any]:
    """What a reader does."""
    stacks = sample.pop("stacks")
    for process in sample["processes"]:
        for thread in process["threads"]:
            thread["frames"] = stacks[thread.pop("stack")]
    return sample


@given(SAMPLES)
def test_nothing_is_lost_and_no_stack_is_sent_twice(processes: list[dict[str, Any]]) -> None:
    sample = {"node": "a", "processes": processes}
    sent = interned(sample)
    assert all(stack not in sent["stacks"][:n] for n, stack in enumerate(sent["stacks"]))
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
