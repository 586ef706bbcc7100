"""Collecting from agents over real HTTP: what comes is kept, what does not come is explained."""

import json
import socket
import time
from typing import Any

import pytest

from rankscope.capture import CaptureRequest, Target, collect
from rankscope.capture_file import parse_capture
from tests.capture.conftest import MakeRequest
from tests.capture.fake_agent import fake_agent, sample

Json = dict[str, Any]


async def captured(request: CaptureRequest) -> list[Json]:
    collected = await collect(request, lambda _: None)
    return [json.loads(line) for line in collected.lines()]


async def test_all_nodes_are_asked_for_the_same_moment(make_request: MakeRequest) -> None:
    with fake_agent("gpu07") as one, fake_agent("gpu08", rank=1) as two:
        request = make_request(one, two, lead_s=0.2, native=(3,))
        before = time.time()
        header, *lines = await captured(request)

    [first], [second] = one.bodies, two.bodies
    assert first == second
    assert first["start_at"] - before == pytest.approx(0.2, abs=0.15)
    assert first["native"] == [3]
    assert header["requested_nodes"] == ["gpu07", "gpu08"]
    assert header["world_size"] == 8
    assert header["trigger"] == "hang"
    assert [(line["node"], line["sample"]) for line in lines] == [
        ("gpu07", 0),
        ("gpu07", 1),
        ("gpu08", 0),
        ("gpu08", 1),
    ]


async def test_lines_are_passed_on_byte_by_byte(make_request: MakeRequest) -> None:
    odd = sample("gpu07", 0) | {"later_field": {"ключ": [1.50, None]}}
    with fake_agent("gpu07", lines=[odd, sample("gpu07", 1)]) as agent:
        collected = await collect(make_request(agent), lambda _: None)
        lines = list(collected.lines())

    assert json.dumps(odd).encode() in lines


async def test_only_nodes_that_answered_are_counted(
    make_request: MakeRequest,
) -> None:
    counts: list[int] = []
    with fake_agent("gpu07") as one, fake_agent("gpu08") as two:
        await collect(make_request(one, two, Target("gpu09")), counts.append)

    assert sorted(counts) == [0, 1, 2]


async def test_whole_lines_of_a_cut_answer_are_kept(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", lines=[sample("gpu07", 0)], cut=True) as agent:
        _, kept, lost = await captured(make_request(agent))

    assert kept["processes"]
    assert lost["sample"] == 1
    assert "cut off" in lost["error"]
    assert lost["processes"] == []


async def test_a_forged_line_and_all_after_it_are_dropped(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", forged_line=1) as agent:
        _, kept, lost = await captured(make_request(agent))

    assert kept["sample"] == 0
    assert "not signed with our key" in lost["error"]


async def test_an_agent_that_ends_early_is_said_to(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", lines=[sample("gpu07", 0)]) as agent:
        _, _, lost = await captured(make_request(agent))

    assert "without this sample" in lost["error"]


@pytest.mark.parametrize(
    ("status", "refusal", "said"),
    [
        (401, {}, "RANKSCOPE_AGENT_SECRET"),
        (404, {}, "no process of this job"),
        (429, {}, "in a moment"),
        (400, {"error": "start_at is 90 s ahead.", "next_step": "Fix the clock."}, "Fix the clock"),
        (503, {}, "listen there"),
        (302, {}, "listen there"),
    ],
)
async def test_a_refusal_says_what_to_do(
    make_request: MakeRequest, status: int, refusal: Json, said: str
) -> None:
    elsewhere = {"Location": "http://127.0.0.1:1/"}
    with fake_agent("gpu07", status=status, refusal=refusal, headers=elsewhere) as agent:
        _, *lost = await captured(make_request(agent))

    assert [line["sample"] for line in lost] == [0, 1]
    assert all(said in line["error"] for line in lost)
    assert len(agent.bodies) == 1


async def test_a_node_nobody_listens_on_keeps_its_row(make_request: MakeRequest) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        _, lost, _ = await captured(make_request(Target("gpu07", url)))

    assert "Nobody answers" in lost["error"]
    assert "rankscope agent" in lost["error"]


async def test_a_node_without_a_known_agent_keeps_its_row(make_request: MakeRequest) -> None:
    _, lost, _ = await captured(make_request(Target("gpu07")))

    assert lost["node"] == "gpu07"
    assert "rankscope agent" in lost["error"]


async def test_an_agent_that_hangs_is_given_up_alone(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", seconds=60) as slow, fake_agent("gpu08") as quick:
        _, lost, _, *kept = await captured(make_request(slow, quick, budget_s=0.1))

    assert "did not finish within" in lost["error"]
    assert [line["node"] for line in kept] == ["gpu08", "gpu08"]


@pytest.mark.parametrize(
    "endpoint",
    ["http://8.8.8.8:9000", "http://169.254.169.254/", "ftp://127.0.0.1", "http://[::1", "x"],
)
async def test_addresses_outside_the_agent_networks_are_never_called(
    make_request: MakeRequest, endpoint: str
) -> None:
    _, lost, _ = await captured(make_request(Target("gpu07", endpoint)))

    assert "RANKSCOPE_AGENT_NETWORKS" in lost["error"]


async def test_an_answer_without_end_is_capped(make_request: MakeRequest) -> None:
    lines = [sample("gpu07", 0) | {"padding": "x" * 2_000_000}, sample("gpu07", 1)]
    with fake_agent("gpu07", lines=lines) as agent:
        _, lost, _ = await captured(make_request(agent, largest_answer=1 << 20))

    assert "larger than 1 MiB" in lost["error"]


async def test_a_compressed_answer_is_refused(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", headers={"Content-Encoding": "gzip"}) as agent:
        _, lost, _ = await captured(make_request(agent))

    assert "compressed" in lost["error"]


async def test_what_was_collected_is_a_capture_file(make_request: MakeRequest) -> None:
    with fake_agent("gpu07", nccl={"node": "gpu07", "outcome": "unsupported"}) as agent:
        collected = await collect(make_request(agent, Target("gpu08")), lambda _: None)
        capture = parse_capture(collected.lines())

    assert capture.header.job_id == "jo-1"
    assert capture.header.requested_nodes == ("gpu07", "gpu08")
    assert [bool(s.processes) for s in capture.samples] == [True, True, False, False]
    assert capture.nccl[0].outcome == "unsupported"
