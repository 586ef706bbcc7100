"""Processes that look alike share a position, and only those."""

import gc
from collections.abc import Callable
from dataclasses import replace as other

import pytest

from rankscope.analysis.collecting import no_cycles
from rankscope.analysis.positions import PositionReader
from rankscope.analysis.rules import default_rules
from rankscope.analysis.stacks import StackReader
from rankscope.model.capture import Process, Role, Task, Thread
from tests.analysis import builders as b
from tests.analysis.builders import At, process, thread
from tests.changing import replace

Change = Callable[[Process], Process]
AT = At(b.READ, ticks=100, beside=(thread("pool", b.READ),))


@pytest.fixture
def positions() -> PositionReader:
    return PositionReader(StackReader(default_rules()))


def where(positions: PositionReader, process: Process) -> object:
    reader = positions._reader
    return positions(process, reader.shape_of(process))[0]


def test_ranks_at_one_place_share_a_position_but_not_their_clocks(
    positions: PositionReader,
) -> None:
    one, two = process(0, AT), process(1, other(AT, ticks=900))
    shapes = [positions._reader.shape_of(each) for each in (one, two)]

    found = [positions(each, shape) for each, shape in zip((one, two), shapes, strict=True)]

    assert shapes[0] is shapes[1]
    assert found[0][0] is found[1][0]
    assert [ticks for _, ticks in found] == [100, 900]


def of_thread(**changes: object) -> Change:
    return lambda p: replace(p, threads=(replace(p.threads[0], **changes), *p.threads[1:]))


def of_main(**changes: object) -> Change:
    return lambda p: replace(p, threads=(*p.threads[:-1], replace(p.threads[-1], **changes)))


@pytest.mark.parametrize(
    "change",
    [
        lambda p: replace(p, role=Role.DEAD),
        lambda p: replace(p, state="Z"),
        lambda p: replace(p, wchan="io_schedule"),
        lambda p: replace(p, error="gone"),
        lambda p: replace(p, tasks=(Task(p.pid, "python", "R", "0", 100),)),
        lambda p: replace(p, tasks=(Task(p.pid, "python", "S", "anon_pipe_read", 100),)),
        lambda p: replace(p, tasks=()),
        of_main(frames=b.EVALUATE),
        of_main(active=True),
        of_main(owns_gil=True),
        of_main(os_thread_id=5),
        of_thread(frames=b.EVALUATE),
        of_thread(owns_gil=True),
        of_thread(name="other"),
        lambda p: replace(p, threads=p.threads[1:]),
    ],
)
def test_whatever_differs_is_looked_at_anew(positions: PositionReader, change: Change) -> None:
    one = process(0, AT)
    alone = PositionReader(StackReader(default_rules()))
    changed = change(process(1, AT))

    first = where(positions, one)

    assert where(positions, changed) is not first
    assert where(positions, changed) == _Like(where(alone, changed))


class _Like:
    """A position of the same frames; readers make stacks of their own, compared by identity."""

    def __init__(self, expected: object) -> None:
        self.expected = vars(expected)

    def __eq__(self, found: object) -> bool:
        return {name: _plain(v) for name, v in vars(found).items() if name != "site"} == {
            name: _plain(v) for name, v in self.expected.items() if name != "site"
        }

    __hash__ = None  # type: ignore[assignment]


def _plain(value: object) -> object:
    frames = getattr(value, "frames", None)
    if frames is not None:
        return frames
    stack = getattr(value, "stack", None)
    return (value.name, stack.frames) if stack is not None else value  # type: ignore[attr-defined]


def test_a_thread_listed_twice_is_never_taken_for_another_process(
    positions: PositionReader,
) -> None:
    shadow = Thread(None, (), 1000)
    doubled = replace(process(0, AT), threads=(shadow, *process(0, AT).threads))

    shapes = [positions._reader.shape_of(doubled) for _ in range(2)]

    assert shapes[0] is not shapes[1]
    assert where(positions, doubled) == _Like(where(positions, process(0, AT)))


@pytest.mark.parametrize("enabled", [True, False])
def test_the_search_for_cycles_goes_on_as_it_was(enabled: bool) -> None:
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with no_cycles():
            assert not gc.isenabled()
        assert gc.isenabled() is enabled
        assert gc.get_freeze_count() == 0
    finally:
        (gc.enable if was else gc.disable)()
