"""What must hold for every capture, however it is numbered, ordered or damaged."""

import json
from typing import Any

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.analysis import analyse, compare, report_text
from rankscope.capture_file import parse_capture
from rankscope.errors import UnusableInput
from rankscope.model.capture import Capture, Frame, Process
from tests.analysis import builders as b
from tests.analysis.builders import At, others, piped, running, twice
from tests.analysis.scenarios import GUILTY, NOBODY
from tests.changing import replace

KINDS = {kind: capture for kind, (capture, _, _) in GUILTY.items()} | {
    kind: capture for kind, (capture, _) in NOBODY.items() if capture.samples
}
FLIPS = st.tuples(st.integers(0, 5000), st.binary(max_size=3))
SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)


def suspects(capture: Capture) -> set[int]:
    return {suspect.rank for suspect in analyse(capture).suspects}


def each_process(capture: Capture, change: Any) -> Capture:
    samples = tuple(
        replace(sample, processes=tuple(change(process) for process in sample.processes))
        for sample in capture.samples
    )
    return replace(capture, samples=samples)


def shuffled_pairs(world: int, random: Any) -> list[int]:
    """Shuffle ranks, but keep neighbours together: they are tensor-parallel partners."""
    pairs = [list(range(start, min(start + 2, world))) for start in range(0, world - world % 2, 2)]
    random.shuffle(pairs)
    for pair in pairs:
        random.shuffle(pair)
    return [*(rank for pair in pairs for rank in pair), *range(world - world % 2, world)]


@SLOW
@given(kind=st.sampled_from(sorted(KINDS)), random=st.randoms(use_true_random=False))
def test_renumbering_the_ranks_renumbers_the_suspects(kind: str, random: Any) -> None:
    capture = KINDS[kind]
    world = capture.header.world_size or 0
    order = shuffled_pairs(world, random)

    def renumber(process: Process) -> Process:
        return process if process.rank is None else replace(process, rank=order[process.rank])

    assert suspects(each_process(capture, renumber)) == {order[r] for r in suspects(capture)}


@SLOW
@given(kind=st.sampled_from(sorted(KINDS)), random=st.randoms(use_true_random=False))
def test_the_order_of_nodes_and_processes_changes_nothing(kind: str, random: Any) -> None:
    capture = KINDS[kind]
    samples = list(capture.samples)
    random.shuffle(samples)
    shuffled = tuple(
        replace(sample, processes=tuple(random.sample(sample.processes, len(sample.processes))))
        for sample in samples
    )

    assert suspects(replace(capture, samples=shuffled)) == suspects(capture)


@SLOW
@given(kind=st.sampled_from(sorted(KINDS)))
def test_the_names_of_the_users_own_folders_change_nothing(kind: str) -> None:
    def moved(frame: Frame) -> Frame:
        return replace(frame, filename=frame.filename.replace(b.PROJECT, "/data/u7/other_name"))

    def change(process: Process) -> Process:
        threads = tuple(
            replace(t, frames=tuple(moved(frame) for frame in t.frames)) for t in process.threads
        )
        return replace(process, threads=threads)

    assert suspects(each_process(KINDS[kind], change)) == suspects(KINDS[kind])


def as_lines(capture: Capture) -> list[Any]:
    header = {"schema": "rankscope.capture/1", **msgspec.to_builtins(capture.header)}
    nodes = msgspec.to_builtins(capture.samples)
    for node in nodes:
        for process in node["processes"]:
            for thread in process["threads"]:
                thread["thread_name"] = thread.pop("name")
    return [header, *nodes]


SAMPLE = as_lines(
    twice(others(4, At(b.ALL_REDUCE), r1=piped(b.READ), r2=running(b.FORWARD), r3=At(None)))
)
JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.lists(st.none(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.none(), max_size=2),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in items:
        found.append((*path, key))
        if isinstance(inner, dict | list):
            found += places(inner, (*path, key))
    return found


PLACES = places(SAMPLE)


def damage(content: Any, path: tuple[Any, ...], junk: Any) -> None:
    *outer, last = path
    for key in outer:
        if not holds(content, key):
            return
        content = content[key]
    if holds(content, last):
        content[last] = junk


def holds(content: Any, key: Any) -> bool:
    if isinstance(content, list):
        return isinstance(key, int) and key < len(content)
    return isinstance(content, dict) and key in content


@settings(deadline=None, max_examples=300)
@given(damages=st.lists(st.tuples(st.sampled_from(PLACES), JUNK), min_size=1, max_size=6))
def test_a_damaged_capture_never_crashes(damages: list[tuple[tuple[Any, ...], Any]]) -> None:
    content = json.loads(json.dumps(SAMPLE))
    for path, junk in damages:
        damage(content, path, junk)

    report_of([json.dumps(line).encode() for line in content])


@settings(deadline=None, max_examples=200)
@given(cut=st.integers(0, 5000), flips=st.lists(FLIPS, max_size=5))
def test_damaged_bytes_never_crash(cut: int, flips: list[tuple[int, bytes]]) -> None:
    data = b"\n".join(json.dumps(line).encode() for line in SAMPLE)
    data = data[: len(data) - cut]
    for position, junk in flips:
        data = data[:position] + junk + data[position + 1 :]

    report_of(data.splitlines())


def report_of(lines: list[bytes]) -> None:
    try:
        capture = parse_capture(lines)
    except UnusableInput:
        return
    assert report_text(analyse(capture)).startswith("Stack Trace Analysis Report\n")
    assert compare(capture, capture).ranks is not None
