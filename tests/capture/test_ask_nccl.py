"""Whom NCCL is asked of, and how often, over real HTTP."""

import json
from typing import Any

import pytest

from rankscope.capture import CaptureRequest, collect
from rankscope.model.capture import Trigger
from tests.capture.conftest import MakeRequest
from tests.capture.fake_agent import FakeAgent, fake_agent

Json = dict[str, Any]
ANSWERED: Json = {"node": "gpu07", "outcome": "answered", "raw": "…"}


async def nccl_lines(request: CaptureRequest) -> list[Json]:
    collected = await collect(request, lambda _: None)
    lines = (json.loads(line) for line in collected.lines())
    return [line["nccl"] for line in lines if "nccl" in line]


def questions(agent: FakeAgent) -> list[Json]:
    return [body for path, body in agent.asked if path == "/v1/nccl"]


@pytest.mark.parametrize("trigger", [Trigger.HANG, Trigger.SLOW, Trigger.RECAPTURE])
async def test_one_node_is_asked_twice_where_a_hang_is_suspected(
    make_request: MakeRequest, trigger: Trigger
) -> None:
    with fake_agent("gpu07", nccl=ANSWERED) as one, fake_agent("gpu08", nccl=ANSWERED) as two:
        request = make_request(one, two, trigger=trigger, nccl_interval_s=0.01, progressed=True)
        lines = await nccl_lines(request)

    assert [line["sample"] for line in lines] == [0, 1]
    assert [body["sample"] for body in questions(one)] == [0, 1]
    assert all(body["progressed"] and body["job_id"] == "jo-1" for body in questions(one))
    assert questions(two) == []


@pytest.mark.parametrize(
    ("nccl", "trigger"),
    [
        (ANSWERED, Trigger.MANUAL),
        (ANSWERED | {"again": False}, Trigger.HANG),
        ({"outcome": "unsupported"}, Trigger.HANG),
        ({"outcome": "disabled"}, Trigger.HANG),
        ({"outcome": "unsafe"}, Trigger.HANG),
    ],
)
async def test_one_question_is_enough(
    make_request: MakeRequest, nccl: Json, trigger: Trigger
) -> None:
    with fake_agent("gpu07", nccl=nccl) as one, fake_agent("gpu08", nccl=nccl) as two:
        # An hour between the questions: a second one would never end.
        lines = await nccl_lines(make_request(one, two, trigger=trigger, nccl_interval_s=3600.0))

    assert [line["outcome"] for line in lines] == [nccl["outcome"]]
    assert questions(two) == []


@pytest.mark.parametrize("outcome", ["", "refused", "frozen", "cut", "not_initialised"])
async def test_another_node_is_asked_when_the_first_fails(
    make_request: MakeRequest, outcome: str
) -> None:
    first = {"outcome": outcome} if outcome else None
    with fake_agent("gpu07", nccl=first) as one, fake_agent("gpu08", nccl=ANSWERED) as two:
        lines = await nccl_lines(make_request(one, two, trigger=Trigger.MANUAL))

    assert [line["outcome"] for line in lines] == [outcome, "answered"][not outcome :]
    assert len(questions(one)) == len(questions(two)) == 1


async def test_no_more_than_three_nodes_are_asked(make_request: MakeRequest) -> None:
    frozen = {"outcome": "frozen"}
    with (
        fake_agent("a", nccl=frozen) as a,
        fake_agent("b", nccl=frozen) as b,
        fake_agent("c", nccl=frozen) as c,
        fake_agent("d", nccl=frozen) as d,
    ):
        lines = await nccl_lines(make_request(a, b, c, d))

    assert len(lines) == 3
    assert questions(d) == []
