"""The report page, over a real Redis and a real capture store."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from redis import Redis

from bot.app import create_app
from rankscope.analysis import analyse
from rankscope.capture_file import parse_capture
from rankscope.links import page_link
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State
from tests.cards.builders import (
    PRINT_ID,
    healthy_report,
    hostile_report,
    job,
    large_report,
    nccl_report,
    partial_report,
    record,
    small_report,
)
from tests.cards.capture_lines import capture_lines

Open = Callable[..., str]


@pytest.fixture
def settings(make_settings: Callable[..., Settings], tmp_path: Path) -> Settings:
    return make_settings(data_dir=tmp_path)


class Browser:
    """Asks the app as a browser would, one page at a time."""

    def __init__(self, settings: Settings, redis: Redis) -> None:
        self._app = create_app(settings, redis)

    def get(self, path: str) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://bot") as client:
                return await client.get(path)

        return asyncio.run(ask())


@pytest.fixture
def client(settings: Settings, redis: Redis) -> Browser:
    return Browser(settings, redis)


def link(settings: Settings, print_id: str = PRINT_ID, **query: object) -> str:
    parts = urlsplit(page_link(settings.public_url, settings.links_key, print_id))
    more = "".join(f"&{name}={value}" for name, value in query.items())
    return f"{parts.path}?{parts.query}{more}"


def put(
    settings: Settings,
    state: State,
    report: Report,
    lines: list[bytes],
    known: CaptureRecord | None = None,
) -> None:
    store = CaptureStore.of(settings)
    store.write_report(replace(report, summary=replace(report.summary, print_id=PRINT_ID)))
    store.write_capture(PRINT_ID, lines)
    state.save(known or record(CaptureState.REPORTED))
    state.save(job())


@pytest.fixture
def stuck(settings: Settings, state: State) -> None:
    put(settings, state, small_report(), capture_lines())


@pytest.mark.usefixtures("stuck")
def test_the_report_names_the_suspect_beside_a_control_rank(
    client: Browser, settings: Settings
) -> None:
    page = client.get(link(settings, lang="en"))

    assert page.status_code == 200
    assert "Rank 5 is stuck reading data" in page.text
    assert "It alone is reading data" in page.text
    assert re.search(r"For comparison:.*rank 0", page.text)
    assert "Stack Trace Analysis Report" in page.text
    assert "Sources: " in page.text
    assert PRINT_ID in page.text
    assert "a high count is no root cause" in page.text


def test_what_the_analysis_finds_is_shown(
    client: Browser, settings: Settings, state: State
) -> None:
    put(settings, state, analyse(parse_capture(capture_lines())), capture_lines())

    page = client.get(link(settings)).text

    assert re.search(r'<article class="suspect">\s*<h3><a [^>]*>rank 5</a>', page)
    assert page.count('<article class="suspect">') == 1
    assert "Function Call Statistics" in page
    assert "2026-06-08 03:49:05 (UTC)" in page


@pytest.mark.usefixtures("stuck")
def test_a_report_too_long_for_a_phone_says_how_much_is_missing(
    client: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.page_views.MOST_TEXT", 40)

    page = client.get(link(settings, lang="en")).text

    assert re.search(r"\d+ more characters are not shown", page)


def test_a_damaged_capture_is_explained(client: Browser, settings: Settings, state: State) -> None:
    put(settings, state, small_report(), [b"\xff"])

    assert client.get(link(settings, view="stacks")).status_code == 503
    assert client.get(link(settings)).status_code == 200


@pytest.mark.usefixtures("stuck")
def test_the_page_is_chinese_unless_asked_otherwise(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings)).text

    assert '<html lang="zh-CN">' in page
    for name in ("报告", "进程栈", "NCCL 状态"):
        assert f">{name}</a>" in page
    assert "不会自动给出根因" in page


@pytest.mark.usefixtures("stuck")
def test_stacks_are_filtered_by_place(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings, view="stacks", rank="worker-1-gpu-1", lang="en")).text

    listed = page[page.index("All stacks") :]
    assert "worker-1-gpu-1 · rank 5 · node-1" in listed
    assert "· rank 4 ·" not in listed
    assert "MetricsThread" in listed
    assert "pipe_read" in listed
    assert "owns_gil: false" in listed
    assert "1 helper processes" in listed


@pytest.mark.usefixtures("stuck")
def test_stacks_put_the_suspect_beside_a_control_rank(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings, view="stacks", lang="en")).text

    pair = page[page.index('id="pair"') : page.index("All stacks")]
    assert re.search(r"rank 5.*suspect.*rank 0.*control", pair, re.DOTALL)
    assert '<li class="differs"><b>read_shard</b>' in pair
    assert "<li><b>main</b>" in pair


@pytest.mark.usefixtures("stuck")
def test_both_samples_can_be_chosen(client: Browser, settings: Settings) -> None:
    first = client.get(link(settings, view="stacks", rank=3, sample=0, lang="en")).text
    second = client.get(link(settings, view="stacks", rank=3, sample=1, lang="en")).text

    assert "send_all" not in first
    assert "send_all" in second
    assert "moved between samples" in second


@pytest.mark.usefixtures("stuck")
def test_a_filter_nobody_understands_is_said(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings, view="stacks", rank="<b>x", lang="en")).text

    assert "“&lt;b&gt;x” is not understood" in page


@pytest.mark.usefixtures("stuck")
def test_nccl_shows_the_raw_answer_and_what_it_does_not_mean(
    client: Browser, settings: Settings
) -> None:
    page = client.get(link(settings, view="nccl", lang="en")).text

    assert "has no RAS" in page
    assert "does not mean that NCCL communication failed" in page
    assert "Connecting to 127.0.0.1:28028" in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        (
            "en",
            ["reliable", "stands still", "What is seen", "Counts are launches", "Next: see the"],
        ),
        ("zh", ["可靠", "停住", "看到的", "计数是“已发起”", "下一步：看落后 rank"]),
    ],
)
def test_nccl_shows_the_worst_communicators(
    client: Browser, settings: Settings, state: State, lang: str, words: list[str]
) -> None:
    put(settings, state, nccl_report(), capture_lines())

    page = client.get(link(settings, view="nccl", lang=lang)).text

    for word in words:
        assert word in page
    assert re.search(r"<code>0000000000007a11</code></td>\s*<td>8/8", page)
    assert re.search(r'rank 5 <span class="quiet">node-1</span>', page)
    assert "MISMATCH" in page


def test_a_long_raw_answer_is_cut(
    client: Browser, settings: Settings, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.page_views.MOST_RAW", 10)
    put(settings, state, small_report(), capture_lines())

    page = client.get(link(settings, view="nccl", lang="en")).text

    assert "more characters are not shown" in page
    assert "Connection refused" not in page


def test_a_silent_node_and_missing_ranks_have_their_reason(
    client: Browser, settings: Settings, state: State
) -> None:
    put(settings, state, partial_report(), capture_lines(silent="node-1"))

    report = client.get(link(settings, lang="en")).text
    stacks = client.get(link(settings, view="stacks", lang="en")).text
    nccl = client.get(link(settings, view="nccl", lang="en")).text

    assert "its node did not answer" in report
    assert "Node node-1 did not answer: the agent did not answer within 10 s" in stacks
    assert 'id="pair"' not in stacks
    assert "did not query NCCL RAS" in nccl


@pytest.mark.parametrize("view", ["report", "stacks", "nccl"])
@pytest.mark.parametrize("report", [hostile_report(), large_report(), healthy_report()])
def test_every_view_copes_and_lets_no_tag_through(
    client: Browser, settings: Settings, state: State, view: str, report: Report
) -> None:
    put(settings, state, report, capture_lines(400))

    page = client.get(link(settings, view=view))

    assert page.status_code == 200
    assert "<at id=all>" not in page.text
    assert "\u202e" not in page.text
    assert page.text.count('class="place') <= 64


@pytest.mark.parametrize("seen", [CaptureState.REQUESTED, CaptureState.RUNNING])
def test_a_running_capture_shows_progress_and_reloads(
    client: Browser, settings: Settings, state: State, seen: CaptureState
) -> None:
    state.save(record(seen, 1))

    page = client.get(link(settings, lang="en")).text

    assert '<meta http-equiv="refresh" content="3">' in page
    assert "1 of 2 nodes answered" in page


def test_a_failed_capture_says_why(client: Browser, settings: Settings, state: State) -> None:
    state.save(record(CaptureState.FAILED, error="no <node> answered"))

    assert "no &lt;node&gt; answered" in client.get(link(settings)).text


@pytest.mark.usefixtures("stuck")
@pytest.mark.parametrize("key", ["", "nonsense", "WyIxIl0.aaaa.bbbb"])
def test_a_wrong_key_is_refused_in_words(client: Browser, key: str) -> None:
    page = client.get(f"/captures/{PRINT_ID}?key={key}")

    assert page.status_code == 403
    assert "打开报告" in page.text
    assert "rank 5" not in page.text


@pytest.mark.usefixtures("stuck")
def test_the_key_of_another_capture_is_refused(client: Browser, settings: Settings) -> None:
    other = link(settings, "1780890545107774004").partition("?")[2]

    assert client.get(f"/captures/{PRINT_ID}?{other}").status_code == 403


@pytest.mark.usefixtures("stuck")
def test_without_a_secret_nobody_gets_in(
    make_settings: Callable[..., Settings], redis: Redis, tmp_path: Path
) -> None:
    bare = make_settings(data_dir=tmp_path, agent_secret="", page_secret="")
    client = Browser(bare, redis)

    assert client.get(link(bare)).status_code == 403


def test_an_unknown_capture_is_explained(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings))

    assert page.status_code == 404
    assert "保留 30 天" in page.text


def test_a_capture_that_was_swept_is_explained(
    client: Browser, settings: Settings, state: State
) -> None:
    state.save(record(CaptureState.REPORTED))

    assert client.get(link(settings)).status_code == 404


@pytest.mark.usefixtures("stuck")
def test_an_expired_link_is_explained(
    client: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = link(settings)
    monkeypatch.setattr(
        "itsdangerous.timed.time.time", lambda: 4_000_000_000 + timedelta(days=1).total_seconds()
    )

    assert client.get(good).status_code == 404


def test_a_store_that_cannot_be_read_is_explained(
    make_settings: Callable[..., Settings], redis: Redis, state: State
) -> None:
    state.save(record(CaptureState.REPORTED))
    broken = make_settings(store_url="ftp://nowhere")

    page = Browser(broken, redis).get(link(broken, lang="en"))

    assert page.status_code == 503
    assert "nothing is lost" in page.text


@pytest.mark.usefixtures("stuck")
def test_the_page_keeps_its_key_to_itself(client: Browser, settings: Settings) -> None:
    page = client.get(link(settings, view="stacks"))

    headers = page.headers
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Robots-Tag"] == "noindex, nofollow"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"].startswith("private")
    assert "unsafe-inline" not in headers["Content-Security-Policy"]
    assert not re.search(r"\son\w+=|style=|<style|<script(?! src=)|https?://", page.text)


@pytest.mark.parametrize(("name", "kind"), [("page.css", "text/css"), ("copy.js", "javascript")])
def test_style_and_script_are_served(client: Browser, name: str, kind: str) -> None:
    answer = client.get(f"/static/{name}")

    assert answer.status_code == 200
    assert kind in answer.headers["Content-Type"]


def test_nothing_else_is_served(client: Browser) -> None:
    assert client.get("/static/base.html.j2").status_code == 404


@pytest.mark.usefixtures("stuck")
def test_every_link_on_a_page_works(client: Browser, settings: Settings) -> None:
    path = link(settings, view="stacks", rank=5)
    hrefs = set(re.findall(r'href="(\?[^"]+)"', client.get(path).text))

    assert len(hrefs) >= 5
    for href in hrefs:
        answer = client.get(f"/captures/{PRINT_ID}{href.replace('&amp;', '&')}")
        assert answer.status_code == 200, href


def test_a_job_without_a_name_is_shown_by_its_id(
    client: Browser, settings: Settings, state: State
) -> None:
    put(settings, state, small_report(), capture_lines())
    state.save(replace(job(), name=""))

    assert "<code>jo-7f3a91c2</code>" in client.get(link(settings)).text
