"""What the last look knows of a job is dumped while the next look is still under way."""

import asyncio
from dataclasses import dataclass, field

import pytest

from agent.dump import Dumper
from agent.facts import FactFinder
from agent.metrics import Metrics
from agent.node import Node, Survey
from agent.outcome import Dump, Mode
from agent.sampling import Sampler, UnknownJob
from agent.scan import Key
from tests.agent.builders import members, proc
from tests.agent.conftest import agent_settings


class SlowNode(Node):
    """Its next look ends only when it is told to."""

    def __init__(self, before: Survey, after: Survey) -> None:
        self.name = "node-a"
        self.facts = FactFinder()
        self._before, self._after = before, after
        self.may_end = asyncio.Event()
        self.looks = 0

    def remembered(self) -> Survey:
        return self._before

    async def look(self, *, fresh: bool = True) -> Survey:
        assert fresh
        self.looks += 1
        await self.may_end.wait()
        return self._after


@dataclass
class Dumps(Dumper):
    """Remembers what it was asked for, and lets the look end at so many dumps."""

    node: SlowNode
    enough: int
    asked: list[tuple[Key, bool]] = field(default_factory=list)

    async def dump(self, key: Key, *, native: bool = False) -> Dump:
        self.asked.append((key, native))
        if len(self.asked) == self.enough:
            self.node.may_end.set()
        await self.node.may_end.wait()
        return Dump(Mode.NONBLOCKING, threads=[{"os_thread_id": key[0], "frames": []}])


def survey(*ranks: int) -> Survey:
    return Survey(tuple(members(*[proc(100 + rank, rank=rank) for rank in ranks]).values()))


async def taken(
    before: Survey, after: Survey, *, enough: int, native: tuple[int, ...] = ()
) -> tuple[dict[int, int], Dumps]:
    node = SlowNode(before, after)
    dumps = Dumps(node, enough)
    if not enough:
        node.may_end.set()
    settings = agent_settings(node="node-a")
    sample = await Sampler(node, dumps, settings, Metrics()).sample("jo-1", 0, native, 20)
    assert node.looks == 1
    return {row["rank"]: len(row["threads"]) for row in sample["processes"]}, dumps


async def test_dumps_begin_before_the_look_is_over() -> None:
    rows, dumps = await taken(survey(0, 1), survey(0, 1), enough=2)

    assert rows == {0: 1, 1: 1}
    assert dumps.asked == [((100, 100), False), ((101, 101), False)]


async def test_who_came_since_is_dumped_and_who_went_is_thrown_away() -> None:
    rows, dumps = await taken(survey(0, 1), survey(1, 2), enough=2)

    assert rows == {1: 1, 2: 1}
    assert [key for key, _ in dumps.asked] == [(100, 100), (101, 101), (102, 102)]


async def test_a_rank_whose_native_frames_are_wanted_waits_for_the_look() -> None:
    _, dumps = await taken(survey(0, 1), survey(0, 1), enough=1, native=(1,))

    assert dumps.asked == [((100, 100), False), ((101, 101), True)]


async def test_without_an_earlier_look_nothing_is_dumped_early() -> None:
    rows, dumps = await taken(Survey(), survey(0), enough=0)

    assert rows == {0: 1}
    assert dumps.asked == [((100, 100), False)]


async def test_a_job_that_is_remembered_needs_no_look_to_be_known() -> None:
    node = SlowNode(survey(0), Survey())
    sampler = Sampler(node, Dumps(node, 1), agent_settings(), Metrics())

    await sampler.require("jo-1")
    assert node.looks == 0

    node.may_end.set()
    with pytest.raises(UnknownJob):
        await sampler.require("jo-2")
