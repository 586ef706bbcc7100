import pytest

from bot.page_stacks import (
    MOST_LINES,
    MOST_THREADS,
    Filter,
    Known,
    matches,
    parse_filter,
    places,
    sample_numbers,
    side_by_side,
    stacks,
    workers_of,
)
from rankscope.model.capture import (
    Capture,
    CaptureHeader,
    Frame,
    NodeSample,
    Process,
    Role,
    Thread,
    Threads,
)
from tests.changing import replace

OUTER = (Frame("train_step", "train.py", 118), Frame("main", "train.py", 164))
READ = (Frame("read", "data.py", 31), *OUTER)
WAIT = (Frame("wait", "ring.py", 48), Frame("all_reduce", "ring.py", 77), *OUTER)


def trainer(rank: int, frames: tuple[Frame, ...] = WAIT, local: int | None = 0) -> Process:
    main = Thread("MainThread", frames, os_thread_id=rank + 100)
    log = Thread("Log", (Frame("wait", "threading.py", 0),), os_thread_id=7)
    return Process(rank + 100, 1, rank, local, Role.TRAINER, "S", threads=(log, main))


def in_columns(process: Process) -> Process:
    """Return what an agent sends in columns."""
    alike = tuple(replace(thread, os_thread_id=None) for thread in process.threads)
    ids = tuple(thread.os_thread_id for thread in process.threads)
    return replace(process, threads=Threads(alike, ids))


def capture(*answers: NodeSample, nodes: tuple[str, ...] = ("b", "a")) -> Capture:
    return Capture(CaptureHeader("jo-1", "17", requested_nodes=nodes), answers)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5", Filter(rank=5)),
        (" Rank 5 ", Filter(rank=5)),
        ("rank-5", Filter(rank=5)),
        ("gpu-1", Filter(gpu=1)),
        ("worker-2", Filter(worker=2)),
        ("worker-2-gpu-1", Filter(worker=2, gpu=1)),
        ("", Filter()),
        ("-", Filter()),
        ("'; drop", Filter()),
        ("²", Filter()),
    ],
)
def test_people_may_write_a_rank_or_a_place(text: str, wanted: Filter) -> None:
    assert parse_filter("", text) == wanted


def test_workers_are_numbered_in_the_order_they_were_asked() -> None:
    assert workers_of(capture(NodeSample("c", 0))) == {"b": 0, "a": 1, "c": 2}


def test_a_place_is_a_rank_with_its_helpers() -> None:
    loader = Process(300, 100, 4, None, Role.DATALOADER)
    other = Process(900, 1, None, None, Role.HELPER)
    found = places(capture(NodeSample("a", 0, processes=(other, loader, trainer(4, local=2)))), 0)

    assert [(place.key, place.rank) for place in found] == [("worker-1-gpu-2", 4), ("", None)]
    assert found[0].helpers == (loader,)
    assert found[1].helpers == (other,)
    assert matches(found[0], parse_filter("", "worker-1-gpu-2"))
    assert matches(found[0], parse_filter("a", "4"))
    assert not matches(found[0], parse_filter("b", "4"))
    assert not matches(found[0], parse_filter("", "worker-0-gpu-2"))
    assert not matches(found[1], parse_filter("", "gpu-2"))


def test_an_exited_rank_keeps_its_place() -> None:
    dead = Process(300, 1, 4, 1, Role.DEAD, error="exited")

    place = places(capture(NodeSample("a", 0, processes=(dead,))), 0)[0]

    assert place.trainer == dead


def test_two_samples_tell_who_moved() -> None:
    first = NodeSample("a", 0, processes=(trainer(0), trainer(1)))
    second = NodeSample("a", 1, processes=(trainer(0), trainer(1, READ)))

    found = places(capture(first, second), 1)

    assert [place.moved for place in found] == [False, True]
    assert [place.moved for place in places(capture(first), 0)] == [None, None]
    assert sample_numbers(capture(first, second)) == [0, 1]


def test_stacks_are_marked_from_where_they_part() -> None:
    pair = side_by_side(trainer(5, READ), trainer(0, WAIT))

    assert pair is not None
    assert [line.differs for line in pair[0].lines] == [True, False, False]
    assert [line.differs for line in pair[1].lines] == [True, True, False, False]


def test_a_rank_without_threads_has_no_stack_to_compare() -> None:
    bare = replace(trainer(5), threads=())

    assert side_by_side(bare, trainer(0)) is None


def test_the_main_thread_comes_first_and_line_zero_is_not_shown() -> None:
    shown = stacks(trainer(0))

    assert [stack.name for stack in shown] == ["MainThread", "Log"]
    assert shown[1].lines[0].place == "threading.py"


def test_long_stacks_and_many_threads_are_cut_and_counted() -> None:
    long = replace(trainer(0).threads[0], frames=WAIT * MOST_LINES)
    process = replace(trainer(0), threads=(long,) * (MOST_THREADS + 5))
    known: Known = {}

    shown = stacks(process, known)

    assert len(shown) == MOST_THREADS
    assert len(shown[0].lines) == MOST_LINES
    assert shown[0].left_out == (len(WAIT) - 1) * MOST_LINES
    assert len(known) == 1
    assert all(stack.lines is shown[0].lines for stack in shown)


def test_a_long_stack_beside_another_is_cut_too() -> None:
    deep = replace(trainer(1).threads[1], frames=READ * MOST_LINES)
    pair = side_by_side(replace(trainer(1), threads=(deep,)), trainer(0))

    assert pair is not None
    assert len(pair[0].lines) == MOST_LINES
    assert pair[0].left_out == len(READ) * MOST_LINES - MOST_LINES
    assert pair[1].left_out == 0


def test_the_page_shows_the_same_of_threads_in_columns() -> None:
    one, other = trainer(0), trainer(1, READ)

    assert stacks(in_columns(one)) == stacks(one)
    assert [stack.name for stack in stacks(in_columns(one))] == ["MainThread", "Log"]
    assert side_by_side(in_columns(one), in_columns(other)) == side_by_side(one, other)
