"""NCCL from a process to the card: found and asked by the real agent, judged, shown."""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from redis import Redis

from bot.app import create_app
from rankscope.analysis import analyse
from rankscope.capture import CaptureRequest, Target, collect
from rankscope.capture_file import parse_capture
from rankscope.cards import incident_card
from rankscope.links import page_link
from rankscope.model.capture import Trigger
from rankscope.model.report import NcclStatus, Report
from rankscope.model.state import CaptureState
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State
from tests.agent.conftest import SECRET, Server, agent_settings, free_port
from tests.agent.ras_target import RasTarget
from tests.agent.targets import JOB, Targets
from tests.cards.builders import PRINT_ID, incident, record, view

pytestmark = pytest.mark.integration
HANGS = ("hang",)


@pytest.fixture
def ras(tmp_path: Path) -> Iterator[RasTarget]:
    targets = Targets(tmp_path)
    try:
        yield RasTarget(targets)
    finally:
        targets.stop()


@contextmanager
def agent(**changes: object) -> Iterator[Target]:
    settings = agent_settings(port=free_port(), **changes)
    server = Server(settings)
    server.start()
    try:
        yield Target("node-a", f"http://127.0.0.1:{settings.port}")
    finally:
        server.stop()


def captured(tmp_path: Path, trigger: Trigger, **changes: object) -> list[bytes]:
    with agent(**{"nccl_start_up_s": 0.0, **changes}) as target:
        request = CaptureRequest(
            job_id=JOB,
            print_id=PRINT_ID,
            trigger=trigger,
            targets=(target,),
            secret=SECRET,
            networks="127.0.0.0/8",
            spool=tmp_path,
            interval_s=0.2,
            lead_s=0.0,
            # Ten seconds apart they must be for a hang; RAS's own clock has whole seconds.
            nccl_interval_s=9.5,
        )
        collected = asyncio.run(collect(request, lambda _: None))
        return list(collected.lines())


@pytest.fixture
def shown(
    make_settings: Callable[..., Settings], redis: Redis, state: State, tmp_path: Path
) -> Callable[[Report, list[bytes]], tuple[str, str]]:
    """Store a capture and its report as the stages do; return its card and its NCCL page."""

    def show(report: Report, lines: list[bytes]) -> tuple[str, str]:
        settings = make_settings(data_dir=tmp_path)
        store = CaptureStore.of(settings)
        store.write_capture(PRINT_ID, lines)
        store.write_report(report)
        state.save(record(CaptureState.REPORTED))
        card = incident_card(
            view(incident(), store.read_report(PRINT_ID), record(CaptureState.REPORTED)), "en"
        )
        return json.dumps(card, ensure_ascii=False), asyncio.run(_page(settings, redis))

    return show


async def _page(settings: Settings, redis: Redis) -> str:
    link = page_link(settings.public_url, settings.links_key, PRINT_ID)
    transport = httpx.ASGITransport(create_app(settings, redis))
    async with httpx.AsyncClient(transport=transport) as client:
        return (await client.get(f"{link}&view=nccl&lang=en")).text


Show = Callable[[Report, list[bytes]], tuple[str, str]]


def status_of(report: Report) -> NcclStatus:
    assert report.nccl is not None
    return report.nccl


def test_a_hang_that_only_ras_can_explain(ras: RasTarget, tmp_path: Path, shown: Show) -> None:
    ras.start("2.30.7", *HANGS, port=free_port())
    for rank in (1, 4, 5):
        ras.start("2.30.7", rank=rank)

    lines = captured(tmp_path, Trigger.HANG)
    report = analyse(parse_capture(lines))
    card, page = shown(report, lines)

    status = status_of(report)
    assert (status.outcome, status.kind, status.progress) == ("answered", "stalled", "frozen")
    assert [(s.rank, s.node) for s in report.suspects] == [(5, "node-a")]
    assert "others wait for rank 5" in card
    assert "communicator 0000000000007a11" in card
    assert re.search(r'rank 5 <span class="quiet">node-a</span>', page)
    assert page.count("<summary>") == 2
    assert "&#34;nccl_version&#34;: &#34;2.30.7&#34;" in page


@pytest.mark.parametrize(
    ("version", "behaviour", "variables", "outcome", "said"),
    [
        ("2.30.7", {"frozen_times": 99}, {}, "frozen", "says nothing"),
        ("2.30.7", {"cut_at": 900}, {}, "cut", "is unreliable"),
        ("2.30.7", None, {"NCCL_RAS_ADDR": "localhost:1"}, "refused", "cannot be reached"),
        ("2.21.5", {}, {}, "unsupported", "2.21.5 has no RAS"),
        ("2.30.7", {}, {"NCCL_RAS_ENABLE": "0"}, "disabled", "switched off"),
    ],
)
def test_why_there_is_no_answer(
    ras: RasTarget,
    tmp_path: Path,
    shown: Show,
    version: str,
    behaviour: dict[str, object] | None,
    variables: dict[str, object],
    outcome: str,
    said: str,
) -> None:
    port = 0 if behaviour is None else free_port()
    ras.start(version, port=port, behaviour=behaviour, variables=variables)

    lines = captured(tmp_path, Trigger.HANG)
    report = analyse(parse_capture(lines))
    card, page = shown(report, lines)

    assert status_of(report).outcome == outcome
    assert status_of(report).communicators == ()
    assert report.suspects == ()
    assert said in card
    assert said in page
    assert "What this does not mean" in page


def test_a_job_that_starts_is_left_alone(ras: RasTarget, tmp_path: Path, shown: Show) -> None:
    ras.start("2.26.2", port=free_port())

    lines = captured(tmp_path, Trigger.HANG, nccl_start_up_s=600.0)
    report = analyse(parse_capture(lines))
    card, page = shown(report, lines)

    assert status_of(report).outcome == "unsafe"
    assert "is starting" in card
    assert "is starting" in page
    assert ras.was_left_alone()
