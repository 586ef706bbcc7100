import pytest

from rankscope.chat.places import Wanted, find_place, parse_place, ranks_of
from rankscope.model.capture import (
    Capture,
    CaptureHeader,
    Frame,
    NodeSample,
    Process,
    Role,
    Thread,
)


def trainer(rank: int, line: int) -> Process:
    frames = (Frame("read", "/app/data.py", line), Frame("<module>", "/app/train.py", 9))
    thread = Thread("MainThread", frames, os_thread_id=rank + 100)
    return Process(
        pid=rank + 100, rank=rank, local_rank=rank % 2, role=Role.TRAINER, threads=(thread,)
    )


def sample(node: str, number: int, *processes: Process) -> NodeSample:
    return NodeSample(node, number, processes=processes)


LOADER = Process(pid=900, rank=3, role=Role.DATALOADER)
CAPTURE = Capture(
    CaptureHeader("jo-1", "1780890545107774003", requested_nodes=("a", "b")),
    (
        sample("b", 1, trainer(2, 6), trainer(3, 5), LOADER),
        sample("a", 0, trainer(0, 5), trainer(1, 5)),
        sample("a", 1, trainer(0, 5), trainer(1, 5)),
        sample("b", 0, trainer(2, 5), trainer(3, 5), LOADER),
    ),
)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("5", Wanted(rank=5)),
        ("Rank 5", Wanted(rank=5)),
        ("rank-5", Wanted(rank=5)),
        ("worker-1-gpu-0", Wanted(worker=1, gpu=0)),
        ("gpu", None),
        ("worker-1", None),
        ("-", None),
    ],
)
def test_places_as_people_write_them(word: str, wanted: Wanted | None) -> None:
    assert parse_place(word) == wanted


def test_the_last_sample_of_a_rank_is_shown_with_whether_it_moved() -> None:
    found = find_place(CAPTURE, Wanted(rank=2))

    assert found is not None
    assert (found.node, found.key, found.moved) == ("b", "worker-1-gpu-0", True)
    assert found.frames == ("read (app/data.py:6)", "<module> (app/train.py:9)")


def test_a_worker_is_the_place_of_its_node_in_the_capture() -> None:
    found = find_place(CAPTURE, Wanted(worker=1, gpu=1))

    assert found is not None
    assert (found.rank, found.helpers, found.moved) == (3, 1, False)


def test_what_is_not_in_the_capture_is_not_found() -> None:
    assert find_place(CAPTURE, Wanted(rank=9)) is None
    assert ranks_of(CAPTURE) == [0, 1, 2, 3]
